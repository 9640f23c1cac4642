# The controller's image: docker build --tag karpenter-ts/controller:VERSION . (npm run release does that).
# "npm run e2e -- --only package" carries these steps out in a folder and starts what comes of them.

# Nothing that is built here depends on the machine it will run on.
FROM --platform=$BUILDPLATFORM node:24.21.0-trixie-slim AS build
WORKDIR /karpenter
COPY package.json package-lock.json .npmrc ./
# The optional dependencies are Node itself, which the image has already.
RUN npm ci --omit=dev --omit=optional --ignore-scripts
COPY scripts/build.ts scripts/prune-image.ts scripts/third-party.ts scripts/
COPY src src
RUN node --disable-warning=ExperimentalWarning scripts/build.ts && \
    node scripts/prune-image.ts && \
    node scripts/third-party.ts > THIRD_PARTY.md

FROM node:24.21.0-trixie-slim
# Nothing is ever installed here, so there is nothing to install with.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack \
    /usr/local/bin/yarn /usr/local/bin/yarnpkg /opt/yarn-*
WORKDIR /karpenter
# For other commands, as in: kubectl exec deploy/karpenter -- karpenter --help
ENV PATH="/karpenter/bin:$PATH"
# The user is in no list of users that could name one.
ENV HOME="/karpenter"
COPY LICENSE package.json ./
COPY bin bin
COPY --from=build /karpenter/THIRD_PARTY.md ./
COPY --from=build /karpenter/node_modules node_modules
COPY --from=build /karpenter/dist dist
USER 65532:65532
EXPOSE 8080 8081
# For container engines; Kubernetes has its probes.
HEALTHCHECK --start-period=30s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.HEALTH_PROBE_PORT || 8081}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node itself, and not bin/karpenter, which would be a second process. The options are those of bin/node-options.json.
ENTRYPOINT ["node", "--max-semi-space-size=8", "--heap-growing-percent=30", "/karpenter/dist/cli/main.js"]
CMD ["controller"]

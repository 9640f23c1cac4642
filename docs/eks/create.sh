#!/usr/bin/env bash
# What Karpenter needs in an account, for one EKS cluster, with plain aws commands: the same as cloudformation.yaml.
#   CLUSTER_NAME=my-cluster AWS_REGION=us-west-2 docs/eks/create.sh
# IDENTITY=irsa for IAM roles for service accounts in place of EKS Pod Identity;
# NODE_ACCESS=config-map where the cluster knows no access entries: then the role is for you to add to aws-auth.
# What is there already stays as it is but for whom the controller's role trusts, so it can be run again; a policy that
# is there is not renewed.
set -euo pipefail

: "${CLUSTER_NAME:?the name of the EKS cluster}" "${AWS_REGION:?the region of the cluster}"
NAMESPACE=${NAMESPACE:-karpenter}
IDENTITY=${IDENTITY:-pod-identity}
NODE_ACCESS=${NODE_ACCESS:-access-entry}
NODE_ROLE=KarpenterNodeRole-${CLUSTER_NAME}
CONTROLLER_ROLE=KarpenterController-${CLUSTER_NAME}
POLICIES=$(dirname "$0")/policies
# Version 1 of the program knows the second name only.
export AWS_REGION AWS_DEFAULT_REGION=$AWS_REGION AWS_PAGER=

caller=$(aws sts get-caller-identity --query Arn --output text)
AWS_PARTITION=$(echo "$caller" | cut -d: -f2)
AWS_ACCOUNT=$(aws sts get-caller-identity --query Account --output text)
OIDC_ISSUER=$(aws eks describe-cluster --name "$CLUSTER_NAME" --query cluster.identity.oidc.issuer --output text)
OIDC_ISSUER=${OIDC_ISSUER#https://}

# The text of a policy, with what is known filled in.
policy() {
  sed -e "s|\${AWS_PARTITION}|$AWS_PARTITION|g" -e "s|\${AWS_REGION}|$AWS_REGION|g" \
    -e "s|\${AWS_ACCOUNT}|$AWS_ACCOUNT|g" -e "s|\${CLUSTER_NAME}|$CLUSTER_NAME|g" \
    -e "s|\${NODE_ROLE}|$NODE_ROLE|g" -e "s|\${OIDC_ISSUER}|$OIDC_ISSUER|g" \
    -e "s|\${NAMESPACE}|$NAMESPACE|g" "$POLICIES/$1.json"
}

# Carries out a command that makes something, unless it is there. Of a new role, other services hear some seconds later.
ensure() {
  local said attempt
  for attempt in 1 2 3 4 5 6 7 8 9 10; do
    if said=$("$@" 2>&1); then
      echo "$said"
      return 0
    fi
    case $said in
      *EntityAlreadyExists* | *ResourceInUseException*) return 0 ;;
      *[Pp]rincipal* | *"cannot be assumed"* | *"role"*"not found"*) sleep "${PAUSE:-3}" ;;
      *) break ;;
    esac
  done
  echo "$said" >&2
  return 1
}

# The role of machines.
ensure aws iam create-role --role-name "$NODE_ROLE" --assume-role-policy-document "$(policy node-trust)"
for name in AmazonEKSWorkerNodePolicy AmazonEKS_CNI_Policy AmazonEC2ContainerRegistryPullOnly AmazonSSMManagedInstanceCore; do
  aws iam attach-role-policy --role-name "$NODE_ROLE" --policy-arn "arn:$AWS_PARTITION:iam::aws:policy/$name"
done
node_role_arn=arn:$AWS_PARTITION:iam::$AWS_ACCOUNT:role/$NODE_ROLE
if [ "$NODE_ACCESS" = access-entry ]; then
  ensure aws eks create-access-entry --cluster-name "$CLUSTER_NAME" --principal-arn "$node_role_arn" --type EC2_LINUX
fi

# The role of the controller.
if [ "$IDENTITY" = irsa ]; then trust=irsa-trust; else trust=pod-identity-trust; fi
ensure aws iam create-role --role-name "$CONTROLLER_ROLE" --assume-role-policy-document "$(policy "$trust")"
aws iam update-assume-role-policy --role-name "$CONTROLLER_ROLE" --policy-document "$(policy "$trust")"
for name in launch profiles discovery; do
  ensure aws iam create-policy --policy-name "KarpenterController-$name-$CLUSTER_NAME" --policy-document "$(policy "$name")"
  arn=arn:$AWS_PARTITION:iam::$AWS_ACCOUNT:policy/KarpenterController-$name-$CLUSTER_NAME
  aws iam attach-role-policy --role-name "$CONTROLLER_ROLE" --policy-arn "$arn"
done
if [ "$IDENTITY" != irsa ]; then
  ensure aws eks create-pod-identity-association --cluster-name "$CLUSTER_NAME" --namespace "$NAMESPACE" \
    --service-account karpenter --role-arn "arn:$AWS_PARTITION:iam::$AWS_ACCOUNT:role/$CONTROLLER_ROLE"
fi

# The queue, and what EventBridge sends there.
queue_url=$(aws sqs create-queue --queue-name "$CLUSTER_NAME" --query QueueUrl --output text \
  --attributes MessageRetentionPeriod=300,SqsManagedSseEnabled=true)
quoted=$(policy queue | tr -d '\n' | sed 's/"/\\"/g')
aws sqs set-queue-attributes --queue-url "$queue_url" --attributes "{\"Policy\":\"$quoted\"}"
rule() {
  aws events put-rule --name "$CLUSTER_NAME-karpenter-$1" --event-pattern "{\"source\":[\"$2\"],\"detail-type\":[\"$3\"]}"
  aws events put-targets --rule "$CLUSTER_NAME-karpenter-$1" \
    --targets "Id=KarpenterInterruptionQueue,Arn=arn:$AWS_PARTITION:sqs:$AWS_REGION:$AWS_ACCOUNT:$CLUSTER_NAME"
}
rule health aws.health "AWS Health Event"
rule spot aws.ec2 "EC2 Spot Instance Interruption Warning"
rule rebalance aws.ec2 "EC2 Instance Rebalance Recommendation"
rule state aws.ec2 "EC2 Instance State-change Notification"
rule reservation aws.ec2 "EC2 Capacity Reservation Instance Interruption Warning"

echo "controller: arn:$AWS_PARTITION:iam::$AWS_ACCOUNT:role/$CONTROLLER_ROLE"
echo "machines: $node_role_arn"

#!/usr/bin/env bash
# Takes away what create.sh made, once the controller and its machines are gone.
#   CLUSTER_NAME=my-cluster AWS_REGION=us-west-2 docs/eks/delete.sh
# NAMESPACE as it was for create.sh, if it was given.
# What is not there is passed over, so it can be run again.
set -uo pipefail

: "${CLUSTER_NAME:?the name of the EKS cluster}" "${AWS_REGION:?the region of the cluster}"
NAMESPACE=${NAMESPACE:-karpenter}
NODE_ROLE=KarpenterNodeRole-${CLUSTER_NAME}
CONTROLLER_ROLE=KarpenterController-${CLUSTER_NAME}
# Version 1 of the program knows the second name only.
export AWS_REGION AWS_DEFAULT_REGION=$AWS_REGION AWS_PAGER=

caller=$(aws sts get-caller-identity --query Arn --output text) || exit 1
AWS_PARTITION=$(echo "$caller" | cut -d: -f2)
AWS_ACCOUNT=$(aws sts get-caller-identity --query Account --output text) || exit 1
node_role_arn=arn:$AWS_PARTITION:iam::$AWS_ACCOUNT:role/$NODE_ROLE

running=$(aws ec2 describe-instances --query 'length(Reservations[].Instances[])' --output text --filters \
  "Name=tag:kubernetes.io/cluster/$CLUSTER_NAME,Values=owned" "Name=tag-key,Values=karpenter.sh/nodepool" \
  "Name=instance-state-name,Values=pending,running,stopping,stopped") || exit 1
if [ "$running" != 0 ]; then
  echo "$running machines of Karpenter are still there: delete the NodePools first, and wait for their NodeClaims to go" >&2
  exit 1
fi

for name in health spot rebalance state reservation; do
  aws events remove-targets --rule "$CLUSTER_NAME-karpenter-$name" --ids KarpenterInterruptionQueue
  aws events delete-rule --name "$CLUSTER_NAME-karpenter-$name"
done
queue_url=$(aws sqs get-queue-url --queue-name "$CLUSTER_NAME" --query QueueUrl --output text) &&
  aws sqs delete-queue --queue-url "$queue_url"

association=$(aws eks list-pod-identity-associations --cluster-name "$CLUSTER_NAME" --namespace "$NAMESPACE" \
  --service-account karpenter --query 'associations[0].associationId' --output text)
if [ -n "$association" ] && [ "$association" != None ]; then
  aws eks delete-pod-identity-association --cluster-name "$CLUSTER_NAME" --association-id "$association"
fi
for name in launch profiles discovery; do
  arn=arn:$AWS_PARTITION:iam::$AWS_ACCOUNT:policy/KarpenterController-$name-$CLUSTER_NAME
  aws iam detach-role-policy --role-name "$CONTROLLER_ROLE" --policy-arn "$arn"
  aws iam delete-policy --policy-arn "$arn"
done
aws iam delete-role --role-name "$CONTROLLER_ROLE"

aws eks delete-access-entry --cluster-name "$CLUSTER_NAME" --principal-arn "$node_role_arn"
for name in AmazonEKSWorkerNodePolicy AmazonEKS_CNI_Policy AmazonEC2ContainerRegistryPullOnly AmazonSSMManagedInstanceCore; do
  aws iam detach-role-policy --role-name "$NODE_ROLE" --policy-arn "arn:$AWS_PARTITION:iam::aws:policy/$name"
done
aws iam delete-role --role-name "$NODE_ROLE"

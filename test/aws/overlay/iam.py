"""What moto lacks of IAM."""

from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.exceptions import EC2ClientError
from moto.iam.exceptions import NotFoundException
from moto.iam.models import IAMBackend, iam_backends
from moto.iam.responses import IamResponse

from state import ACCOUNT


def find_profile(asked: dict[str, Any]) -> Any:
    for profile in iam_backends[ACCOUNT]["aws"].instance_profiles.values():
        if profile.name == asked.get("Name") or profile.arn == asked.get("Arn"):
            return profile
    return None


def invalid_profile_message(asked: dict[str, Any]) -> str:
    name = asked.get("Name") or asked.get("Arn")
    return f"Value ({name}) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name"


def check_profile(asked: dict[str, Any] | None) -> None:
    if asked and find_profile(asked) is None:
        raise EC2ClientError("InvalidParameterValue", invalid_profile_message(asked))


def list_instance_profiles(self: Any) -> ActionResult:
    prefix = self._get_param("PathPrefix") or "/"
    profiles = [profile for profile in self.backend.get_instance_profiles() if profile.path.startswith(prefix)]
    return ActionResult({"InstanceProfiles": profiles, "IsTruncated": False})


def get_role(self: Any, role_name: str) -> Any:
    for role in self.get_roles():
        if role.name == role_name:
            return role
    raise NotFoundException(f"The role with name {role_name} cannot be found.")


def install() -> None:
    IamResponse.list_instance_profiles = list_instance_profiles
    IAMBackend.get_role = get_role

"""moto with what it lacks: python main.py PORT CACHE_FOLDER. Serves on loopback until it is killed."""

import logging
import os
import sys

port, cache_folder = int(sys.argv[1]), sys.argv[2]
os.environ.update(
    MOTO_PORT=str(port),
    MOTO_EC2_LOAD_DEFAULT_AMIS="false",
    MOTO_ENABLE_AMI_VALIDATION="true",
    MOTO_EC2_ENABLE_INSTANCE_TYPE_VALIDATION="true",
)

from moto.moto_server.werkzeug_app import (  # noqa: E402
    DomainDispatcherApplication,
    MotoRequestHandler,
    create_backend_app,
)
from werkzeug.serving import run_simple  # noqa: E402

import catalogue  # noqa: E402
import fleet  # noqa: E402
import iam  # noqa: E402
import machines  # noqa: E402
from gate import Gate  # noqa: E402

for part in (catalogue, fleet, iam, machines):
    part.install()
os.makedirs(cache_folder, exist_ok=True)
logging.getLogger("werkzeug").setLevel(logging.ERROR)
run_simple(
    "127.0.0.1",
    port,
    Gate(DomainDispatcherApplication(create_backend_app), cache_folder),
    threaded=True,
    request_handler=MotoRequestHandler,
)

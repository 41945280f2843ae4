# Sends every body with a client that openapi-python-client made. Arguments: address, file of bodies.
import json
import sys

from earshot_client import AuthenticatedClient, models
from earshot_client.api.jobs import create_job

base, bodies = sys.argv[1:]
client = AuthenticatedClient(base_url=base, token="svc_sk_test")
for body in json.load(open(bodies)):
    name = "".join(word.capitalize() for word in body["tool"].split("_")) + "Job"
    answer = create_job.sync(client=client, body=getattr(models, name).from_dict(body))
    assert isinstance(answer, models.Job), f"{body['tool']}: {answer}"

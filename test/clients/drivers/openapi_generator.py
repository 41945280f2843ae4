# Sends every body with a client that openapi-generator made. Arguments: address, file of bodies.
import json
import sys

import openapi_client

base, bodies = sys.argv[1:]
configuration = openapi_client.Configuration(host=base, access_token="svc_sk_test")
api = openapi_client.JobsApi(openapi_client.ApiClient(configuration))
for body in json.load(open(bodies)):
    name = "".join(word.capitalize() for word in body["tool"].split("_")) + "Job"
    job = getattr(openapi_client, name).from_dict(body)
    answer = api.create_job(create_job_request=openapi_client.CreateJobRequest(job))
    assert answer.id.startswith("job_"), body["tool"]

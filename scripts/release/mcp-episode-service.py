"""An episode with a cover and chapters in three calls of a service's `/mcp`, by the official Python client (PyPI: mcp
2.3.0): `npm run test:mcp-python` starts the service. Takes the address and a key from EARSHOT_URL and EARSHOT_KEY, and
checks each answer by the tool's output schema, as the client does by itself."""

import asyncio
import os
import pathlib
import subprocess
import urllib.request

import httpx2
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

ROOT = pathlib.Path(__file__).resolve().parents[2]
URL = os.environ["EARSHOT_URL"]
KEY = {"authorization": f"Bearer {os.environ['EARSHOT_KEY']}"}


def words(answer) -> str:
    return next(part.text for part in answer.content if part.type == "text")


def data(answer) -> dict:
    assert not answer.is_error, words(answer)
    return answer.structured_content


async def uploaded(session: ClientSession, path: pathlib.Path) -> str:
    """What a program does around the model: the bytes go to a link."""
    size = path.stat().st_size
    made = data(await session.call_tool("create_upload", {"filename": path.name, "size_bytes": size}))
    put = urllib.request.Request(
        made["upload"]["url"], data=path.read_bytes(), headers=made["upload"]["headers"], method="PUT"
    )
    with urllib.request.urlopen(put) as answer:
        assert answer.status == 200
    return made["file"]["id"]


async def main(folder: pathlib.Path) -> None:
    cover = folder / "cover.png"
    picture = ["-f", "lavfi", "-i", "testsrc=s=96x96", "-frames:v", "1"]
    subprocess.run(["ffmpeg", "-v", "error", "-y", *picture, str(cover)], check=True)
    async with (
        httpx2.AsyncClient(headers=KEY, timeout=90) as http,
        streamable_http_client(f"{URL}/mcp", http_client=http) as (read, write, *_),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        tools = (await session.list_tools()).tools
        prompts = (await session.list_prompts()).prompts
        print(f"{len(tools)} tools, prompts: {', '.join(prompt.name for prompt in prompts)}")
        picture_id = await uploaded(session, cover)
        # One: the recording. Two: the episode. Three: its end.
        recording = await uploaded(session, ROOT / "docs/samples/talk.opus")
        made = await session.call_tool(
            "make_episode",
            {
                "tracks": [recording],
                "title": "On walking",
                "cover": picture_id,
                "target": -19,
                "chapters": [{"start_seconds": "0:00", "title": "Errors"}, {"start_seconds": 3, "title": "Slowly"}],
            },
        )
        print(words(made).splitlines()[0])
        while data(made)["status"] in ("queued", "running"):
            made = await session.call_tool("get_job", {"job_id": data(made)["id"], "wait": 40})
            print(words(made).splitlines()[0])
        assert data(made)["status"] == "succeeded", data(made)
        link = next(part for part in made.content if part.type == "resource_link" and part.name.endswith(".mp3"))
        episode = folder / "episode.mp3"
        urllib.request.urlretrieve(str(link.uri), episode)
    probe = ["ffprobe", "-v", "error", "-show_chapters", "-show_entries", "stream=codec_name:format_tags=title"]
    said = subprocess.run([*probe, "-of", "compact", str(episode)], check=True, capture_output=True, text=True).stdout
    for part in ("tag:title=Errors", "tag:title=Slowly", "tag:title=On walking", "codec_name=png"):
        assert part in said, said
    print("an episode with 2 chapters and a cover in three calls")


asyncio.run(main(pathlib.Path(os.environ["EARSHOT_FOLDER"])))

"""The manifests of `deploy/`: whole, consistent, and their commands are ours.

Neither Docker nor Kubernetes reads them here.
"""

from __future__ import annotations

import json
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from crawler.cli import parsed
from crawler.config import Job, parse_job

DEPLOY = Path(__file__).parents[2] / "deploy"
OF_A_SERVICE = {
    *("build", "image", "environment", "shm_size", "networks", "volumes", "restart"),
    *("depends_on", "entrypoint", "healthcheck", "stop_grace_period"),
}
"""Keys of the Compose Specification that are used here."""


def documents(name: str) -> list[dict[str, Any]]:
    """Return the documents of a manifest."""
    return list(yaml.safe_load_all((DEPLOY / name).read_text()))


def kinds() -> dict[str, list[dict[str, Any]]]:
    """Return what is made on Kubernetes, by its kind."""
    found: dict[str, list[dict[str, Any]]] = {}
    for one in documents("kuberay-rayjob.yaml"):
        found.setdefault(one["kind"], []).append(one)
    return found


def commands(words: Any) -> Iterator[list[str]]:
    """Yield the commands of an entry point: those of a shell's line one by one."""
    if isinstance(words, list):
        if words[:2] != ["sh", "-c"]:
            yield list(map(str, words))
            return
        words = words[2]
    for command in words.split("&&"):
        yield shlex.split(command.strip().removeprefix("exec "))


def compose() -> dict[str, Any]:
    """Return the manifest of containers."""
    (found,) = documents("compose.yaml")
    return dict(found)


def ours() -> list[list[str]]:
    """Return all commands of this program."""
    words = [service["entrypoint"] for service in compose()["services"].values()]
    words.append(kinds()["RayJob"][0]["spec"]["entrypoint"])
    found = [command for each in words for command in commands(each)]
    return [command[1:] for command in found if command[0] == "crawler"]


def jobs() -> dict[str, Job]:
    """Return the jobs that the manifests crawl."""
    (config,) = kinds()["ConfigMap"]
    texts = {"compose": (DEPLOY / "job.yaml").read_text(), "kuberay": config["data"]["job.yaml"]}
    return {name: parse_job(yaml.safe_load(text), name) for name, text in texts.items()}


def test_every_command_is_one_of_ours() -> None:
    """The program takes its command lines, which begin a crawl or go on with it."""
    found = [parsed(command) for command in ours()]
    assert [args.command for args in found] == ["crawl", "crawl"]
    assert all(args.resume_if_begun for args in found)


@pytest.mark.parametrize("of", ["compose", "kuberay"])
def test_the_jobs_are_of_several_partitions(of: str) -> None:
    """Each is whole, names a cluster, and seeds that are nobody's."""
    job = jobs()[of]
    assert job.cluster.partitions
    assert job.cluster.address
    assert job.seeds == ("https://example.org/",)


def test_containers_have_what_they_name() -> None:
    """Services, volumes and networks are there; the image has the extra, and a token is asked for.

    No port is published: Ray runs what anyone says who reaches one.
    """
    made = compose()
    services = made["services"]
    extras = tomllib.loads((DEPLOY.parent / "pyproject.toml").read_text())["project"]
    for service in services.values():
        assert service.keys() <= OF_A_SERVICE
        assert service["build"]["args"]["EXTRAS"] in extras["optional-dependencies"]
        assert service["environment"]["RAY_AUTH_MODE"] == "token"
        assert service["environment"]["RAY_AUTH_TOKEN"].startswith("${RAY_AUTH_TOKEN:?")
        assert {*service["networks"]} <= made["networks"].keys()
        assert {*service.get("depends_on", ())} <= services.keys()
        for source, target, *_ in (volume.split(":") for volume in service["volumes"]):
            is_file = source.startswith("./")
            assert (DEPLOY / source).is_file() if is_file else source in made["volumes"]
            assert target.startswith("/")
    assert len(services) == 3
    host, _, port = str(jobs()["compose"].cluster.address).partition(":")
    starts = [command for of in services.values() for command in commands(of["entrypoint"])]
    assert host in services
    assert ["ray", "start", "--head", f"--port={port}"] == [
        word for word in starts[0] if not word.startswith(("--include", "--object"))
    ]
    for start in starts[2:]:
        assert f"--address={host}:{port}" in start


def test_pods_have_what_they_name() -> None:
    """Claims, the job, and a Ray resource for each place of it, in a group of its own volume."""
    made = kinds()
    assert made.keys() == {"ConfigMap", "PersistentVolumeClaim", "RayJob"}
    spec = made["RayJob"][0]["spec"]
    cluster = spec["rayClusterSpec"]
    assert cluster["authOptions"] == {"mode": "token"}
    groups = [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]
    claims, resources = list[str](), set[str]()
    for group in groups:
        pod = group["template"]["spec"]
        (container,) = pod["containers"]
        volumes = {volume["name"]: volume for volume in pod["volumes"]}
        assert {mount["name"] for mount in container["volumeMounts"]} == volumes.keys()
        claims.append(volumes["data"]["persistentVolumeClaim"]["claimName"])
        told = group["rayStartParams"].get("resources")
        resources |= json.loads(json.loads(told)).keys() if told else set()
        assert all(isinstance(value, str) for value in group["rayStartParams"].values())
        assert group.get("maxReplicas", 1) == group.get("replicas", 1) == 1
    assert sorted(claims) == sorted(
        one["metadata"]["name"] for one in made["PersistentVolumeClaim"]
    )
    job = jobs()["kuberay"]
    assert {*job.cluster.place.values()} == resources
    roles = {f"p{number}" for number in range(job.cluster.partitions or 0)} | {"judge"}
    assert job.cluster.place.keys() == roles
    args = parsed(ours()[1])
    (on_head,) = groups[0]["template"]["spec"]["containers"]
    mounts = {mount["mountPath"] for mount in on_head["volumeMounts"]}
    assert {str(args.config.parent), str(args.output.parent)} <= mounts

"""The JSON that a master answers with, as the schemas in docs/schemas have it.

Memory is in MB, times are in milliseconds since 1970 where a name ends with _ms.
"""

from __future__ import annotations

from typing import Dict, List, Literal, Optional, TypedDict


# Which of its outputs.
Stream = Literal["stdout", "stderr"]


class Use(TypedDict):
    """What a program has used, with all that it had started."""

    cpu_ms: int
    peak_memory_mb: int
    output_bytes: int


class Executor(TypedDict):
    """A place with cores and memory on one worker."""

    app_id: str
    exec_id: int
    index: Optional[int]
    worker_id: str
    host: str
    cores: int
    memory_mb: int
    state: Literal["LAUNCHING", "RUNNING", "KILLED", "FAILED", "LOST", "EXITED", "DECOMMISSIONED"]
    exit_status: Optional[int]
    message: Optional[str]
    launched_ms: int
    ended_ms: Optional[int]
    resources: Dict[str, List[str]]
    use: Optional[Use]


class Application(TypedDict):
    """What 'stoker run' and embedding programs start."""

    id: str
    name: str
    user: str
    state: Literal["WAITING", "RUNNING", "FINISHED", "FAILED", "KILLED", "UNKNOWN"]
    max_cores: Optional[int]
    cores_granted: int
    cores_per_executor: Optional[int]
    memory_per_executor_mb: int
    executor_limit: Optional[int]
    gang: Optional[int]
    message: Optional[str]
    submitted_ms: int
    ended_ms: Optional[int]
    instances: Optional[int]
    instances_done: int
    executors_started: int
    waits_for: List[str]
    executors: List[Executor]


class Driver(TypedDict):
    """A program that the cluster runs for somebody who does not wait."""

    id: str
    name: str
    user: str
    state: Literal["SUBMITTED", "RUNNING", "FINISHED", "RELAUNCHING", "UNKNOWN", "KILLED",
                   "FAILED", "ERROR"]
    cores: int
    memory_mb: int
    supervise: bool
    worker_id: Optional[str]
    host: Optional[str]
    exit_status: Optional[int]
    message: Optional[str]
    relaunched_as: Optional[str]
    submitted_ms: int
    ended_ms: Optional[int]
    resources: Dict[str, List[str]]
    executors_reserved: int
    restarts: int
    started_ms: Optional[int]
    use: Optional[Use]
    max_restarts: Optional[int]
    waits_for: List[str]


class Worker(TypedDict):
    """A machine, or a part of one."""

    id: str
    host: str
    port: int
    state: Literal["ALIVE", "DEAD", "DECOMMISSIONED", "UNKNOWN"]
    cores: int
    cores_used: int
    memory_mb: int
    memory_used_mb: int
    last_heartbeat_ms: int
    resources: Dict[str, List[str]]
    resources_used: Dict[str, List[str]]
    cores_reserved: int
    memory_reserved_mb: int
    problem: Optional[str]
    spark_versions: List[str]
    only_spark: bool


class Status(TypedDict):
    """The state of a cluster."""

    master_url: str
    status: Literal["STANDBY", "ALIVE", "RECOVERING", "COMPLETING_RECOVERY"]
    workers: List[Worker]
    active_apps: List[Application]
    completed_apps: List[Application]
    active_drivers: List[Driver]
    completed_drivers: List[Driver]


class Gang(TypedDict):
    """Executors that start at once or not at all."""

    needed: int
    room: int
    kept: int
    kept_for_ms: Optional[int]


class Resources(TypedDict):
    """Cores and memory."""

    cores: int
    memory_mb: int


class QueuePlace(TypedDict):
    """Where an application is in the queues."""

    known: bool
    admitted: bool
    company: str
    user: str
    request: Resources
    position_in_queue: int
    user_place: int
    company_place: int
    reason: str
    at_limit: bool


class Holder(TypedDict):
    """An application or a driver that holds some of what is missing."""

    app_id: Optional[str]
    driver_id: Optional[str]
    name: str
    user: str
    held: Resources
    since_ms: int


class StartEstimate(TypedDict):
    """When an application may be given an executor."""

    in_ms: int
    after: str
    basis: str
    after_driver: Optional[str]


class TaskReport(TypedDict):
    """What the driver has said last of its jobs, and what the master knows of that."""

    reported_ms_ago: int
    jobs: int
    running: int
    executors: int
    reasons: List[str]


class WaitingApplication(TypedDict):
    """An application or a driver in the order in which it is served."""

    id: str
    name: str
    user: str
    executors: int
    cores: int
    cores_wanted: int
    driver_id: Optional[str]


class Explanation(TypedDict):
    """Why an application or a driver waits, or why it runs where it runs."""

    found: bool
    app_id: str
    name: str
    user: str
    state: Literal["WAITING", "RUNNING", "FINISHED", "FAILED", "KILLED", "UNKNOWN"]
    driver_id: Optional[str]
    driver_state: Optional[Literal["SUBMITTED", "RUNNING", "FINISHED", "RELAUNCHING", "UNKNOWN",
                                   "KILLED", "FAILED", "ERROR"]]
    cores_per_executor: int
    memory_per_executor_mb: int
    resources_per_executor: Dict[str, int]
    spark: Optional[str]
    executors: int
    cores: int
    cores_wanted: int
    target: Optional[int]
    pending: int
    blocker: Literal["none", "queue", "cap", "no_workers", "too_large", "cores", "memory",
                     "resource", "fragments", "gang", "dependency"]
    gang: Optional[Gang]
    position: int
    ahead: List[WaitingApplication]
    place: Optional[QueuePlace]
    total: Resources
    free: Resources
    reserved: Resources
    workers: int
    workers_with_room: int
    workers_large_enough: int
    reasons: List[str]
    remedy: str
    estimate: Optional[StartEstimate]
    holders: List[Holder]
    holders_in_all: int
    tasks: Optional[TaskReport]


class Figures(TypedDict):
    """Sums over applications and drivers."""

    requested: Resources
    running: Resources
    queued: int
    admitted: int
    with_driver: int
    drivers: Resources


class QueueUser(TypedDict):
    """A user of a company."""

    name: str
    place: int
    figures: Figures
    share: Optional[float]
    blocked: str


class Company(TypedDict):
    """An account."""

    name: str
    place: int
    purchased: Resources
    max_cores: Optional[int]
    max_memory_mb: Optional[int]
    figures: Figures
    share: Optional[float]
    usage_cores: float
    usage_memory_mb: float
    blocked: str
    users: List[QueueUser]


class Tenants(TypedDict):
    """Companies (accounts) and their users."""

    total: Resources
    figures: Figures
    accounting: Literal["requested", "running"]
    company_order: Literal["dominant_share", "usage"]
    user_order: Literal["longest_waiting", "occupancy"]
    application_order: Literal["fifo", "sql_first"]
    full: str
    companies: List[Company]


class Queues(TypedDict):
    """Who is served in which order."""

    tenants: Optional[Tenants]
    admitted: List[WaitingApplication]
    admitted_in_all: int
    queued: List[WaitingApplication]
    queued_in_all: int


class ReportedJob(TypedDict):
    """A job of an application."""

    id: int
    name: str
    pool: str
    status: Literal["RUNNING", "SUCCEEDED", "FAILED", "KILLED", "UNKNOWN"]
    submitted_ms: int
    ended_ms: Optional[int]
    message: str
    stages: int
    stages_complete: int
    tasks: int
    running: int
    done: int
    failed: int


class Stage(TypedDict):
    """A stage of an application's jobs."""

    id: int
    name: str
    status: Literal["PENDING", "ACTIVE", "COMPLETE", "FAILED", "SKIPPED"]
    jobs: List[int]
    tasks: int
    running: int
    done: int
    failed: int
    started_ms: Optional[int]
    ended_ms: Optional[int]
    waits: str
    core_ms: int
    use: Use


class ReportedApplication(TypedDict):
    """What the driver of an application has said last."""

    app_id: str
    name: str
    user: str
    state: Literal["WAITING", "RUNNING", "FINISHED", "FAILED", "KILLED", "UNKNOWN"]
    reported_ms: int
    executors: int
    cores: int
    jobs: List[ReportedJob]
    stages: List[Stage]
    jobs_left_out: int
    stages_left_out: int


class Jobs(TypedDict):
    """What drivers say of their jobs."""

    applications: List[ReportedApplication]
    left_out: int


class HistoryEntry(TypedDict):
    """An application, a driver, an executor or a stage that has ended."""

    kind: Literal["application", "driver", "executor", "stage"]
    id: str
    app_id: Optional[str]
    name: str
    user: str
    company: Optional[str]
    state: str
    exit_status: Optional[int]
    message: Optional[str]
    worker_id: Optional[str]
    host: Optional[str]
    instance: Optional[int]
    cores: int
    memory_mb: int
    submitted_ms: int
    started_ms: Optional[int]
    ended_ms: int
    core_ms: int
    use: Optional[Use]
    parts: int
    failed_parts: int
    relaunched_as: Optional[str]


class History(TypedDict):
    """What has ended."""

    entries: List[HistoryEntry]
    next: Optional[str]
    kept_since_ms: Optional[int]


class Month(TypedDict):
    """What one user has held and used in one month."""

    month: str
    company: Optional[str]
    user: str
    core_ms: int
    memory_mb_s: int
    cpu_ms: int
    applications: int
    drivers: int
    executors: int


class UseByMonth(TypedDict):
    """What users have held and used in each month (UTC), also what still runs."""

    months: List[Month]


class PlannedOutcome(TypedDict):
    """An application that the plan affects."""

    app_id: str
    name: str
    executors_lost: int
    executors_started: int
    cores_wanted: int
    reason: str


class PlannedStart(TypedDict):
    """Executors of one application that would be started on one worker."""

    app_id: str
    name: str
    worker_id: str
    executors: int
    cores: int
    memory_mb: int


class PlannedDriver(TypedDict):
    """A driver that would be started, come or end."""

    driver_id: str
    name: str
    state: Literal["SUBMITTED", "RUNNING", "FINISHED", "RELAUNCHING", "UNKNOWN", "KILLED",
                   "FAILED", "ERROR"]
    worker_id: Optional[str]
    cores: int
    memory_mb: int
    relaunched_as: Optional[str]
    reason: str
    executors_reserved: int


class Plan(TypedDict):
    """What would happen."""

    problem: str
    starts: List[PlannedStart]
    outcomes: List[PlannedOutcome]
    total: Resources
    free: Resources
    drivers: List[PlannedDriver]


class Event(TypedDict):
    """Something that happened."""

    number: int
    at_ms: int
    event: str
    fields: str
    decision: str
    warning: bool


class PlannedWorker(TypedDict, total=False):
    """Workers that are alike."""

    count: int
    cores: int
    memory_mb: int
    host: str
    resources: Dict[str, List[str]]
    spark_versions: List[str]


class PlannedExecutors(TypedDict, total=False):
    """Executors that a driver does not start without."""

    count: int
    cores: int
    memory_mb: int
    resources: Dict[str, int]


class DriverToPlan(TypedDict, total=False):
    """As it would be submitted."""

    name: str
    user: str
    cores: int
    memory_mb: int
    resources: Dict[str, int]
    executors: PlannedExecutors


class PlannedApplication(TypedDict, total=False):
    """As it would register."""

    name: str
    user: str
    max_cores: int
    cores_per_executor: int
    memory_per_executor_mb: int
    initial_executor_limit: int
    gang: int
    resources_per_executor: Dict[str, int]
    memory_per_task_mb: int
    priority: int
    sql: bool
    time_limit_ms: int
    preferred_hosts: Dict[str, int]

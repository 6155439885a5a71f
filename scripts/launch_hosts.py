"""How the launchers of several hosts agree on who takes part, for scripts/launch --nodes A:B.

Host 0's launcher runs a Coordinator, to which each launcher, its own included, has a Member's connection. The coordinator begins an
attempt when there are hosts enough, hears how it ended on each, and begins the next one with the hosts that are there. Messages are
lines of JSON; a connection begins with both sides proving that they know the job's secret.
"""

import hashlib
import hmac
import json
import os
import queue
import secrets
import socket
import threading
import time

START_AGAIN = 75
SHAKE = 10  # seconds for the beginning of a connection
LONGEST_WAIT = 600  # seconds that a launcher waits for host 0, and host 0 for the least number of hosts


def key(token):
    path = os.environ.get("MINIMA_DISTRIBUTED_SECRET_FILE")
    if path and "MINIMA_DISTRIBUTED_SECRET" not in os.environ:
        with open(path, "rb") as file:
            secret = file.read().strip()
    else:
        secret = os.environ.get("MINIMA_DISTRIBUTED_SECRET", "").encode()
    return hashlib.sha256(secret + b"\0" + token.encode()).digest()


def proof(token, side, nonce):
    return hmac.new(key(token), f"{side} {nonce}".encode(), hashlib.sha256).hexdigest()


def printable(text):
    """What another host says, without codes that control a terminal."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in str(text))


class Link:
    """Messages over a socket; `receive` gives None when the other side is gone."""

    def __init__(self, connection):
        self.socket = connection
        self.lines = connection.makefile("rb")
        self.lock = threading.Lock()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in (("TCP_KEEPIDLE", 5), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 3)):  # a dead host is noticed in 20 s
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)

    def send(self, **message):
        try:
            with self.lock:
                self.socket.sendall(json.dumps(message).encode() + b"\n")
            return True
        except OSError:
            return False

    def receive(self):
        try:
            line = self.lines.readline(1 << 16)
            return json.loads(line) if line.endswith(b"\n") else None
        except (OSError, ValueError):
            return None

    def close(self):
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def join(address, port, token, n, mark):
    """The connection of a launcher with n processes. Tries until host 0 is there; raises ConnectionError."""
    until = time.monotonic() + LONGEST_WAIT
    while True:
        try:
            connection = socket.create_connection((address, port), timeout=SHAKE)
            break
        except OSError as error:
            if time.monotonic() > until:
                raise ConnectionError(f"host 0 at {address}:{port} cannot be reached: {error}") from error
            time.sleep(0.2)
    link, nonce = Link(connection), secrets.token_hex(16)
    greeting = link.receive() or {}
    link.send(nonce=nonce, proof=proof(token, "member", greeting.get("nonce")), n=n, name=socket.gethostname(), mark=mark)
    answer = link.receive() or {}
    if not hmac.compare_digest(str(answer.get("proof")), proof(token, "coordinator", nonce)):
        link.close()
        raise ConnectionError(f"host 0 at {address}:{port} belongs to another job, or has another secret")
    connection.settimeout(None)
    return link


class Host:
    """A launcher that has joined."""

    def __init__(self, link, name, n, is_own):
        self.link, self.name, self.n, self.is_own = link, name, n, is_own
        self.first = 0  # world rank of its first process


class Coordinator:
    def __init__(self, options, say):
        self.options, self.say = options, say
        self.least, self.most = options.nodes
        self.news = queue.Queue()  # (host, message); a message of None: it is gone
        self.hosts = []  # in the order in which they have joined, host 0 first
        self.own, self.mark = None, secrets.token_hex(16)
        self.history, self.planned = [], 0
        self.pause = options.pause
        self.listener = socket.create_server(("", options.port), backlog=64)
        threading.Thread(target=self.accept, daemon=True).start()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def accept(self):
        while True:
            try:
                connection, place = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.greet, args=(connection, place[0]), daemon=True).start()

    def greet(self, connection, address):
        link, nonce = Link(connection), secrets.token_hex(16)
        late = threading.Timer(SHAKE, link.close)  # for the whole greeting, however slowly it trickles in
        late.daemon = True
        late.start()
        link.send(nonce=nonce)
        answer = link.receive() or {}
        late.cancel()
        if not hmac.compare_digest(str(answer.get("proof")), proof(self.options.token, "member", nonce)):
            self.say(f"a launcher at {address} did not show that it knows the job's token and secret")
            return link.close()
        link.send(proof=proof(self.options.token, "coordinator", answer["nonce"]))
        host = Host(link, f"{printable(answer['name'])} ({address})", int(answer["n"]), answer.get("mark") == self.mark)
        self.news.put((host, {"joins": True}))
        while (message := link.receive()) is not None:
            self.news.put((host, message))
        self.news.put((host, None))

    def hear(self, seconds):
        """The next message of a host. Those that join or leave are noted; (None, None) if there is none in time."""
        try:
            host, message = self.news.get(timeout=max(seconds, 0.01))
        except queue.Empty:
            return None, None
        if message and message.get("joins"):
            self.hosts.insert(0 if host.is_own else len(self.hosts), host)
            self.own = host if host.is_own else self.own
        elif message is None or message.get("leaves"):
            if host in self.hosts:
                self.hosts.remove(host)
        return host, message

    def gather(self):
        """The hosts of the next attempt; empty if too few come."""
        began = time.monotonic()
        while True:
            waited = time.monotonic() - began
            enough = len(self.hosts) >= self.least and waited >= self.options.join_wait
            if self.own in self.hosts and (len(self.hosts) >= self.most or enough):
                return self.hosts[: self.most]
            if waited > LONGEST_WAIT:
                return []
            self.hear(0.2)

    def start(self, team):
        world = sum(host.n for host in team)
        first = 0
        for node, host in enumerate(team):
            host.first = first
            host.link.send(start=len(self.history) + self.planned, first=first, world=world, node=node, nodes=len(team))
            first += host.n
        names = ", ".join(host.name for host in team)
        self.say(f"starting {world} processes on {len(team)} {'host' if len(team) == 1 else 'hosts'}: {names}")

    def collect(self, team):
        """How the attempt ended on each host."""
        endings, deadline, began, is_asked = {}, None, time.monotonic(), False
        while len(endings) < len(team):
            host, message = self.hear(0.2)
            if host in team and host not in endings:
                if message is None:
                    endings[host] = {"code": 1, "rank": host.first, "text": f"host {host.name} is gone", "gone": True}
                elif "code" in message:
                    endings[host] = message | {"text": printable(message["text"])}
            if deadline is None and any(ending["code"] for ending in endings.values()):
                deadline = time.monotonic() + self.options.timeout + 10
            if deadline is not None and time.monotonic() > deadline:
                for other in team:
                    if other not in endings:
                        other.link.send(stop=True)
                deadline = time.monotonic() + 10
            age = time.monotonic() - began
            if not is_asked and len(self.hosts) > len(team) < self.most and not endings and age > self.options.join_wait:
                is_asked = True
                self.say("another host is there: the ranks save, and start again with it")
                self.own.link.send(save=True)
        return endings

    def culprit(self, endings):
        for host, ending in endings.items():
            if ending["code"] not in (0, START_AGAIN) and ending["rank"] is not None and 0 <= ending["rank"] - host.first < host.n:
                return ending
        return next(ending for ending in endings.values() if ending["code"] not in (0, START_AGAIN))

    def finish(self, code, lines=()):
        for line in lines:
            self.say(line)
        for host in self.hosts:
            host.link.send(end=code)
        self.listener.close()

    def run(self):
        """The whole job; rank 0 is always on this host, whose address the ranks know."""
        began_job = time.monotonic()
        while True:
            team = self.gather()
            if not team:
                return self.finish(1, [f"{len(self.hosts)} hosts came within {LONGEST_WAIT} s, fewer than {self.least}"])
            began = time.monotonic()
            self.start(team)
            endings = self.collect(team)
            codes = {ending["code"] for ending in endings.values()}
            if codes == {0}:
                return self.finish(0)
            if self.own not in self.hosts:
                return self.finish(max(codes))
            if codes <= {0, START_AGAIN}:
                if self.options.max_restarts == 0:
                    return self.finish(START_AGAIN)
                self.planned += 1
                continue
            ending = self.culprit(endings)
            self.history.append(f"{began - began_job:.0f} s to {time.monotonic() - began_job:.0f} s, {len(team)} hosts: {ending['text']}")
            if len(self.history) > self.options.max_restarts:
                return self.finish(ending["code"], [f"gave up after {len(self.history) - 1} restarts:"] + ["  " + h for h in self.history])
            if time.monotonic() - began > 300:
                self.pause = self.options.pause
            self.say(f"restart {len(self.history)} of {self.options.max_restarts} in {self.pause:g} s ({ending['text']})")
            time.sleep(self.pause)
            if not ending.get("gone"):  # that is no fault of the program, which would fail again
                self.pause = min(2 * self.pause, max(60, self.options.pause))


def take_part(job, say, save):
    """A launcher's part in the job, until host 0 ends it or this launcher is told to stop. Returns the exit code."""
    options = job.options
    try:
        coordinator = Coordinator(options, say) if options.node_rank == 0 else None
    except OSError as error:
        say(f"--port {options.port}: {error.strerror}")
        return 1
    address = "127.0.0.1" if coordinator else options.address
    try:
        link = join(address, options.port, options.token, options.n, coordinator.mark if coordinator else "")
    except ConnectionError as error:
        say(str(error))
        return 1
    messages = queue.Queue()

    def listen():
        while True:
            message = link.receive()
            if message and message.get("stop"):
                options.stop.set()
            elif message and message.get("save"):
                save()
            else:
                messages.put(message)
            if message is None:
                return

    threading.Thread(target=listen, daemon=True).start()
    code = 1
    while not job.is_told_to_stop:
        try:
            message = messages.get(timeout=0.2)
        except queue.Empty:
            continue
        if message is None:
            say("host 0's launcher is gone")
            break
        if "end" in message:
            code = message["end"]
            break
        options.attempt, options.first, options.world = message["start"], message["first"], message["world"]
        options.stop.clear()
        ending = job.attempt()
        code = ending.code
        link.send(code=code, rank=ending.rank, text=ending.text, leaves=job.is_told_to_stop)
    if coordinator:
        coordinator.thread.join(options.timeout + 30)
    link.close()
    return code

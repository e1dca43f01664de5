"""A real Postfix on the loopback: it delivers one domain by LMTP, and never sends anything outside."""

from __future__ import annotations

import grp
import os
import pwd
import signal
import smtplib
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage

from .ground import BOUND_SECONDS, Ground, free_ports, greets, missing, program, until

MAIN = """\
compatibility_level = 3.6
queue_directory = {path}/queue
data_directory = {path}/lib
maillog_file = {path}/postfix.log
maillog_file_prefixes = {path}
myhostname = mx.{domain}
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
smtp_host_lookup = native
smtp_dns_support_level = disabled
virtual_mailbox_domains = {domain}
virtual_mailbox_maps = static:any
virtual_transport = lmtp:inet:127.0.0.1:{lmtp}
default_transport = error:5.4.4 this server sends nothing out
relay_transport = error:5.4.4 this server sends nothing out
recipient_delimiter = +
alias_maps =
alias_database =
local_recipient_maps =
biff = no
smtputf8_enable = yes
message_size_limit = 52428800
mailbox_size_limit = 0
virtual_mailbox_limit = 0
smtpd_peername_lookup = no
smtpd_client_connection_count_limit = 0
smtpd_client_connection_rate_limit = 0
smtpd_tls_cert_file = {path}/tls.crt
smtpd_tls_key_file = {path}/tls.key
smtpd_tls_security_level = may
smtpd_relay_restrictions = permit_mynetworks, reject
smtpd_sasl_type = dovecot
smtpd_sasl_path = inet:127.0.0.1:{auth}
minimal_backoff_time = 2s
maximal_backoff_time = 10s
queue_run_delay = 2s
"""

MASTER = """\
127.0.0.1:{smtp} inet n - n - - smtpd
127.0.0.1:{submission} inet n - n - - smtpd
  -o smtpd_tls_security_level=encrypt
  -o smtpd_sasl_auth_enable=yes
  -o smtpd_relay_restrictions=permit_sasl_authenticated,reject
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
proxywrite unix - - n - 1 proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
"""


class Postfix:
    """A server that takes mail at `smtp_port`, and at `submission_port` with STARTTLS and a login."""

    def __init__(self, lmtp_port: int, auth_port: int, domain: str = "example.org") -> None:
        self._program = program("postfix")
        if os.geteuid():
            missing("Postfix is started by root alone")
        try:
            pwd.getpwnam("postfix")
            grp.getgrnam("postdrop")
        except KeyError:
            missing("no account postfix or no group postdrop")
        self.ground = Ground("postfix", "root")
        for name, owner in (("etc", "root"), ("queue", "root"), ("lib", "postfix")):
            self.ground.folder(name, owner)
        self.ca_file, _ = self.ground.certificate()
        self.smtp_port, self.submission_port = free_ports(2)
        values = {"path": self.ground.path, "domain": domain, "lmtp": lmtp_port, "auth": auth_port}
        ports = {"smtp": self.smtp_port, "submission": self.submission_port}
        self.ground.write("etc/main.cf", MAIN.format(**values))
        self.ground.write("etc/master.cf", MASTER.format(**ports))

    def start(self) -> None:
        self._control("start")
        until(lambda: greets(self.smtp_port, b"220"), f"Postfix: {self.ground.read('postfix.log')[-2000:]}")

    def stop(self) -> None:
        """Stop it, by force where it does not listen."""
        pid = self._pid()
        if pid is None:
            return
        self._control("stop", check=False)
        end = time.monotonic() + BOUND_SECONDS
        while os.path.exists(f"/proc/{pid}") and time.monotonic() < end:
            time.sleep(0.05)
        if os.path.exists(f"/proc/{pid}"):
            os.kill(pid, signal.SIGKILL)

    def _control(self, word: str, check: bool = True) -> None:
        command = [self._program, "-c", str(self.ground.path / "etc"), word]
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            umask=0o022,
            timeout=60,
            check=False,
        )
        log = self.ground.read("postfix.log")[-2000:]
        assert not check or done.returncode == 0, f"postfix {word}: {done.stdout.decode()} {log}"

    def _pid(self) -> int | None:
        text = self.ground.read("queue/pid/master.pid").strip()
        return int(text) if text and os.path.exists(f"/proc/{text}") else None

    def send(self, mail: EmailMessage, to: str | None = None) -> None:
        """Take a mail from a member's mail program."""
        with smtplib.SMTP("127.0.0.1", self.smtp_port, timeout=BOUND_SECONDS) as server:
            server.send_message(mail, mail["From"], [to or mail["To"]])


@contextmanager
def postfix(lmtp_port: int, auth_port: int, domain: str = "example.org") -> Iterator[Postfix]:
    """A Postfix of one's own, for as long as it is needed."""
    server = Postfix(lmtp_port, auth_port, domain)
    try:
        server.start()
        yield server
    finally:
        server.stop()
        server.ground.clear()

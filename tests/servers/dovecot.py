"""A real Dovecot on the loopback: IMAP, IMAPS, LMTP, and SASL for Postfix.

Every name with the password `secret` is a user; `name+detail` is delivered to `name`. Dovecot tells an IDLE
client of a mail half a second after its delivery: that is fixed in its source.
"""

from __future__ import annotations

import os
import pwd
import signal
import smtplib
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from imapclient import IMAPClient

from .ground import Ground, account, free_ports, greets, missing, program, until

PASSWORD = "secret"

CONFIGURATION = """\
base_dir = {path}/run
state_dir = {path}/run
log_path = {path}/dovecot.log
protocols = imap lmtp
listen = 127.0.0.1
ssl = yes
ssl_cert = <{path}/tls.crt
ssl_key = <{path}/tls.key
disable_plaintext_auth = no
auth_mechanisms = plain login {mechanisms}
default_internal_user = {user}
default_internal_group = {group}
default_login_user = {user}
first_valid_uid = 1
mail_uid = {user}
mail_gid = {group}
mail_location = maildir:~/Maildir
mail_fsync = never
recipient_delimiter = +
mail_max_userip_connections = 1000
lmtp_save_to_detail_mailbox = no
{capability}
{token_passdb}
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={user} gid={group} home={path}/mail/%Lu allow_all_users=yes
}}
namespace inbox {{
  inbox = yes
  {namespace}
}}
service anvil {{
  chroot =
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {imap}
  }}
  inet_listener imaps {{
    port = {imaps}
  }}
}}
service lmtp {{
  inet_listener lmtp {{
    address = 127.0.0.1
    port = {lmtp}
  }}
}}
service auth {{
  inet_listener {{
    address = 127.0.0.1
    port = {auth}
  }}
}}
"""

TOKENS = """\
passdb {{
  driver = oauth2
  mechanisms = xoauth2
  args = {path}/oauth2.conf
}}
"""

TOKEN_SETTINGS = """\
introspection_mode = local
local_validation_key_dict = fs:posix:prefix={path}/keys/
username_attribute = sub
"""


class Dovecot:
    """A server that may be stopped, killed and started again on the same ports with the same mails."""

    def __init__(self, capability: str = "", tokens_key: str = "", namespace: str = "") -> None:
        self._program = program("dovecot")
        if not os.path.exists("/usr/lib/dovecot/lmtp"):
            missing("no dovecot-lmtpd here")
        user = account("dovecot", "nobody")
        self._user, self._group = pwd.getpwnam(user).pw_uid, pwd.getpwnam(user).pw_gid
        self.ground = Ground("dovecot", user)
        for name in ("run", "mail"):
            self.ground.folder(name)
        self.ca_file, _ = self.ground.certificate()
        self._capability = f"imap_capability = {capability}" if capability else ""
        self._namespace = namespace
        self._tokens_key = tokens_key
        self._process: subprocess.Popen[bytes] | None = None
        self._choose(free_ports(4))

    def _choose(self, ports: Sequence[int]) -> None:
        self.imap_port, self.imaps_port, self.lmtp_port, self.auth_port = ports
        path = self.ground.path
        text = CONFIGURATION.format(
            path=path,
            user=self.ground.owner,
            group=_group_name(self._group),
            password=PASSWORD,
            mechanisms="xoauth2" if self._tokens_key else "",
            token_passdb=TOKENS.format(path=path) if self._tokens_key else "",
            capability=self._capability,
            namespace=self._namespace,
            imap=self.imap_port,
            imaps=self.imaps_port,
            lmtp=self.lmtp_port,
            auth=self.auth_port,
        )
        self.ground.write("dovecot.conf", text)
        if self._tokens_key:
            self.ground.write("oauth2.conf", TOKEN_SETTINGS.format(path=path))
            for name in ("keys", "keys/default", "keys/default/HS256"):
                self.ground.folder(name)
            self.ground.write("keys/default/HS256/default", self._tokens_key)

    def start(self) -> None:
        """Start, and wait until it greets."""
        for lock in self.ground.path.rglob("*.lock"):  # of one that was killed: it would be waited for
            lock.unlink(missing_ok=True)
        command = [self._program, "-F", "-c", str(self.ground.path / "dovecot.conf")]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            umask=0o077,
            start_new_session=True,
            **({"user": self._user, "group": self._group, "extra_groups": []} if not os.geteuid() else {}),
        )
        until(self._ready, f"Dovecot: {self.ground.read('dovecot.log')[-2000:]}")

    def _ready(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self.ground.read("dovecot.log")[-2000:]
        return greets(self.imap_port, b"* OK") and greets(self.lmtp_port, b"220")

    def stop(self) -> None:
        """Stop it as an operator would; its clients are told goodbye."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(20)
            finally:
                self.kill()

    def kill(self) -> None:
        """End it and all its children at once."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(20)
            self._process = None

    def deliver(self, *mails: bytes, to: str = "club@example.org", sender: str = "anna@example.org") -> None:
        """Put mails into a mailbox by LMTP, as a mail server does."""
        with smtplib.LMTP("127.0.0.1", self.lmtp_port) as server:
            for mail in mails:
                server.sendmail(sender, [to], mail)

    @contextmanager
    def client(self, user: str = "club@example.org", folder: str = "INBOX") -> Iterator[IMAPClient]:
        """Log in as a member's mail program does."""
        with IMAPClient("127.0.0.1", self.imap_port, ssl=False, timeout=20) as client:
            client.login(user, PASSWORD)
            client.select_folder(folder)
            yield client

    def subjects(self, user: str = "club@example.org", folder: str = "INBOX") -> list[str]:
        """Return the subjects in a folder, empty for one that is missing."""
        return [subject for _, subject in sorted(self._heads(user, folder))]

    def _heads(self, user: str, folder: str) -> list[tuple[int, str]]:
        with self.client(user) as client:
            if not client.folder_exists(folder):
                return []
            client.select_folder(folder, readonly=True)
            found = client.fetch(client.search("ALL"), ["BODY.PEEK[HEADER.FIELDS (SUBJECT)]"])
            key = b"BODY[HEADER.FIELDS (SUBJECT)]"
            return [(uid, said[key].decode().partition(":")[2].strip()) for uid, said in found.items()]


def _group_name(number: int) -> str:
    import grp

    return grp.getgrgid(number).gr_name


@contextmanager
def dovecot(capability: str = "", tokens_key: str = "", namespace: str = "") -> Iterator[Dovecot]:
    """A Dovecot of one's own, for as long as it is needed."""
    server = Dovecot(capability, tokens_key, namespace)
    try:
        server.start()
        yield server
    finally:
        server.kill()
        server.ground.clear()

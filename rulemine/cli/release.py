"""The commands about releases: ``verify``, ``show``, ``rename``, ``archive``, ``import`` and ``audit``.

A command imports what it needs when it runs, so that ``--help`` and scoring never load what only
mining needs. Every command takes the parsed arguments and returns the exit status.
"""

import contextlib
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from rulemine.cli.build import add_resources
from rulemine.cli.console import Line, bar, check_output, emit, note, output_file, refuse_idle, say
from rulemine.cli.export import split_of
from rulemine.cli.parser import Parser, Subcommand, arg, given, release_at, several, switch, within
from rulemine.errors import ConfigError, ReleaseError, counted

if TYPE_CHECKING:
    from http.server import HTTPServer

    from rulemine.cli.keys import Endpoint
    from rulemine.release.reader import Release
    from rulemine.verify.report import VerificationReport

__all__ = ["ARCHIVE", "AUDIT", "IMPORT", "RENAME", "SHOW", "VERIFY"]


def verify(arguments: Namespace) -> int:
    """Runs ``verify``."""
    if not arguments.rebuild:
        refuse_idle(arguments, "--rebuild", "set")
        for option in given(arguments):
            raise ConfigError(f"--{option.split('.')[-1]}: is for --rebuild. Leave it out.")
    else:
        release_at(arguments.release).expect_certificates("--rebuild")
    line, gold = Line(), None
    with contextlib.ExitStack() as held:
        with contextlib.suppress(ReleaseError):  # whose faults the report has
            release = release_at(arguments.release)
            if release.has_property_graph:
                from rulemine.neo4j.gold import database_for

                gold = database_for(arguments.neo4j, held)
            elif arguments.neo4j not in (None, "none"):
                raise ConfigError(
                    "--neo4j: is for releases of the kind cypher, this one is of the kind "
                    f"{release.kind}. Leave it out."
                )
        report = _verified(arguments.release, line, thorough=arguments.thorough, gold=gold)
    say(report.to_text(arguments.most))
    differs = arguments.rebuild and _rebuild(arguments, line)
    return 0 if report.ok and not differs else 1


def _verified(release: Path, line: Line, **how: Any) -> "VerificationReport":
    """Verifies a release; as the last check, its card and counts are written again."""
    from rulemine.builder.regenerated import regenerated
    from rulemine.verify import verify as verify_release

    def phase(text: str) -> None:
        line.phase(f"verify {text}")

    with line.watch("verify") as advance:
        return regenerated(verify_release(release, advance, phase, **how), phase)


def _rebuild(arguments: Namespace, line: Line) -> bool:
    """Builds the release again and prints what differs; returns whether anything does."""
    from rulemine.builder.rebuild import rebuild
    from rulemine.cli.recipe_options import building
    from rulemine.config import parse_setting
    from rulemine.release.differences import compare

    pairs = [(".".join(key), str(value)) for key, value in map(parse_setting, arguments.set)]
    files = dict(pair for pair in pairs if pair[0] != "not_in")
    earlier = tuple(Path(value) for key, value in pairs if key == "not_in")
    context = building(arguments, line, earlier=earlier)
    release = release_at(arguments.release)
    with TemporaryDirectory(prefix="rulemine-") as folder:
        made = Path(folder) / release.name
        rebuild(release, made, files, context)
        found = list(compare(release, made))
    for difference in found:
        say(f"  {difference}")
    verdict = f"not what its recipe makes: {counted(len(found), 'file')}"
    say(f"{release.path}: {verdict if found else 'every byte is what its recipe makes'}")
    return bool(found)


def show(arguments: Namespace) -> int:
    """Runs ``show``."""
    import shutil

    from rulemine.release.groups import sample
    from rulemine.release.sheet import sheet_text
    from rulemine.release.show import show as show_questions

    asked = [name for name in ("id", "sample") if getattr(arguments, name)]
    if arguments.serve:
        refuse_idle(arguments, "showing questions", *asked, "summary", "sheet", "output")
        return _serve(arguments)
    if arguments.summary:
        refuse_idle(arguments, "single questions", *asked, "sheet")
        return _summary(arguments)
    release = release_at(arguments.release)
    if arguments.sheet is not None:
        refuse_idle(arguments, "showing questions", *asked)
        check_output(arguments.output)
        emit(sheet_text(release, arguments.sheet).rstrip("\n"), arguments.output)
        return 0
    refuse_idle(arguments, "--summary", "output")
    columns = shutil.get_terminal_size((100, 24)).columns
    with bar("show"):
        some = sample(release.questions(), arguments.sample) if arguments.sample else ()
        if not (ids := [*arguments.id, *(question.id for question in some)]):
            raise ConfigError("show: name a question, or give --sample N.")
        shown = show_questions(release, *ids, width=columns)
    say(shown)
    return 0


def _summary(arguments: Namespace) -> int:
    """Runs ``show --summary``."""
    from rulemine.evaluation.reporting.files import to_text
    from rulemine.evaluation.reporting.made import summary_of

    check_output(arguments.output)
    release = release_at(arguments.release)
    release.expect_answers("--summary")
    release.expect_certificates("--summary")
    emit(to_text(summary_of(release)), arguments.output)
    return 0


def _serve(arguments: Namespace) -> int:
    """Runs ``show --serve``."""
    from rulemine.cli.keys import Endpoint, Page, form_of
    from rulemine.evaluation.reporting.documents import document_of_questions
    from rulemine.evaluation.reporting.files import to_html
    from rulemine.evaluation.reporting.loopback import make_server

    how = form_of(arguments.serve, "--serve", page=Page, sparql=Endpoint)
    release = release_at(arguments.release)
    if isinstance(how, Endpoint):
        return _serve_sparql(release, how)
    with bar("serve") as advance:
        page = to_html(document_of_questions(release, split_of(how.split), advance))
    with make_server(page, how.port) as server:
        return _until_interrupted(server, "/ (Ctrl-C ends)")


def _until_interrupted(server: "HTTPServer", place: str) -> int:
    print(f"http://127.0.0.1:{server.server_port}{place}", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()
    print()
    return 0


def _serve_sparql(release: "Release", how: "Endpoint") -> int:
    """Runs ``show --serve sparql``."""
    from rulemine.evaluation.reporting.loopback import LoopbackHandler, listen
    from rulemine.exports.endpoint import make_endpoint, workers_of
    from rulemine.exports.exporting import naming_for
    from rulemine.exports.protocol import ExportInput

    line = Line()
    listen(how.port, LoopbackHandler).server_close()  # a port in use is reported before the work
    with line.watch("serve") as advance:
        naming = naming_for(release, how.naming or None, line.note)
        served = ExportInput(release, naming, how.kg, progress=advance, note=line.note)
        workers = workers_of(served, how.iris, how.timeout, how.max_rows)
    about = (
        f"{release.name}, {how.kg} graph: {counted(len(served.kg), 'triple')}, "
        f"{counted(len(served.kg.entities), 'entity', 'entities')}, named {naming}"
    )
    with contextlib.closing(workers), make_endpoint(workers, how.port, about) as server:
        return _until_interrupted(server, f"/sparql (Ctrl-C ends)\n{about}")


def rename(arguments: Namespace) -> int:
    """Runs ``rename``."""
    from rulemine.release.publish import rename as rename_release

    release = release_at(arguments.release)
    with bar("rename"):
        rename_release(release, arguments.output, arguments.naming, replace=arguments.replace)
    say(f"{arguments.output}: {arguments.release} in {arguments.naming} naming")
    return 0


def archive(arguments: Namespace) -> int:
    """Runs ``archive``."""
    from rulemine.release.archive import write_archive
    from rulemine.release.hiding import write_hidden

    release = release_at(arguments.release)
    source, hide = arguments.release, arguments.hide
    named = source.resolve() if source.name in ("", "..") else source
    ending = f"-without-{hide}.tar" if hide else ".tar"
    output = arguments.output or named.with_name(f"{named.name.removesuffix('.tar')}{ending}")
    if output.exists() and output.samefile(source):
        raise ConfigError(f"{output}: is the release itself. Name another file with -o.")
    check_output(output, output.with_name(f"{output.name}.sha256"))
    with bar("archive"), TemporaryDirectory(prefix="rulemine-") as folder:
        if hide:
            left_out = write_hidden(release, Path(folder))
            release = release_at(folder)
        digest = write_archive(release, output)
    if hide and left_out:
        note(
            f"{counted(left_out, 'question')} of other splits left out, since they state what {hide} asks"
        )
    say(f"{digest}  {output}")
    return 0


VERIFY = Subcommand(
    "verify", verify, "verify a release: digests, proofs, answers, splits",
    (
        "release",
        arg("--most", "N", "problems to print (20)", within(0), default=20),
        switch("--thorough", "recount every rule"),
        arg("--neo4j", "URL", "of the kind cypher: run the gold on this database, which has to be empty; "
            "none: on none (on a Neo4j of its own, if one was fetched before)"),
        switch("--rebuild", "also build it again from its own recipe, and compare the two byte by byte"),
        several("--set", "KEY=FILE", "with --rebuild: a file that the recipe names, e.g. rules=rules.tsv, or "
                "not_in=DIR"),
    ),
    options=add_resources,
)  # fmt: skip

SHOW = Subcommand(
    "show", show, "show questions with their proofs, on a page or to SPARQL too",
    (
        "release",
        arg("id", "ID", "id of a question, e.g. q00001", nargs="*"),
        arg("--sample", "N", "show N questions, the core first (0)", within(0), default=0),
        switch("--summary", "show instead how many questions there are, why no more, and what to change"),
        arg("--sheet", "N", "write instead an empty sheet of N questions of each structure, for people "
            "to check", within(1)),
        arg("-o --output", "FILE", "of --sheet and --summary (standard output)", output_file),
        arg("--serve", "WHAT", "page[:split=test:port=8765], or sparql[:kg=incomplete:naming=entity:"
            "iris=freebase:port=8890:timeout=30:max_rows=100000], on this machine"),
    ),
)  # fmt: skip

RENAME = Subcommand(
    "rename", rename, "rewrite a release in another naming",
    (
        "release",
        arg("--naming", "NAMING", "private, entity, text or numeric", required=True),
        arg("-o --output", "DIR", "folder of the new release", Path, required=True),
        "replace",
    ),
)  # fmt: skip

ARCHIVE = Subcommand(
    "archive", archive, "write a release as one tar, to be published",
    (
        "release",
        arg("--hide", None, "leave out what answers the questions of this split", choices=("test",)),
        arg("-o --output", "FILE", "the tar (DIR.tar, or DIR-without-test.tar); FILE.sha256 is beside it",
            Path),
    ),
)  # fmt: skip


def import_(arguments: Namespace) -> int:
    """Runs ``import``."""
    from rulemine.importing.importer import import_set

    with bar("import") as advance:
        release = import_set(
            arguments.form, arguments.path, arguments.output, kg=arguments.kg,
            incomplete=arguments.incomplete, replace=arguments.replace, progress=advance,
        )  # fmt: skip
    counts = release.manifest["counts"]
    splits = ", ".join(f"{n:,} {split}" for split, n in counts["questions_by_split"].items())
    say(f"{arguments.output}: {counted(counts['questions'], 'question')} ({splits})")
    for text in release.manifest["config"][release.kind]["notes"]:
        note(text)
    if left := counts["rejected"]:
        note("left out: " + "; ".join(f"{n:,} × {why}" for why, n in left.items()))
    if not counts["graded"]:
        note("which answers the incomplete graph states is not known, so there are no hard answers")
    return 0


def _add_forms(parser: Parser) -> None:
    from rulemine.importing.registry import IMPORTS

    parser.epilog = (
        f"Forms: {', '.join(IMPORTS)}.\n"
        "docs/importing.md says what each reads, and what its options are."
    )


IMPORT = Subcommand(
    "import", import_, "read a question set that others published, as a release",
    (
        arg("form", "FORM[:key=value…]", "the form of its files"),
        arg("path", "PATH", "its file or folder", Path),
        arg("--kg", "FILE", "the complete graph, where the form has none or another is wanted", Path),
        arg("--incomplete", "FILE", "the incomplete graph, a part of the complete one", Path),
        arg("-o --output", "DIR", "folder of the release", Path, required=True),
        "replace",
    ),
    options=_add_forms,
)  # fmt: skip


_OF_AUDITS = """\
Writes audit.json, audit.md and audit.html into OUT. Each figure has its definition, the number of questions
it is over, an interval and examples; what the files do not allow is "not available":
  rulemine audit out/demo -o out/audit
  rulemine audit out/demo out/family -o out/audit    side by side, in one table"""


def audit(arguments: Namespace) -> int:
    """Runs ``audit``."""
    from rulemine.auditing.audit import FILES, Audit, document_of, write_audits
    from rulemine.auditing.audit import audit as audit_release
    from rulemine.auditing.measures import Progress
    from rulemine.text.tables import text_of

    check_output(*(arguments.output / name for name in FILES))
    line = Line()

    @contextmanager
    def watch(step: str) -> Iterator[Progress]:
        with line.watch(step) as advance:
            yield advance

    releases = [release_at(path) for path in arguments.releases]
    arguments.output.mkdir(parents=True, exist_ok=True)  # known at once if it cannot be written
    found: list[Audit] = [
        audit_release(
            release,
            resamples=arguments.resamples,
            seed=arguments.seed,
            mines=not arguments.no_mining,
            watch=watch,
        )
        for release in releases
    ]
    written = write_audits(found, arguments.output)
    headline = document_of(found).headline
    if headline is not None:
        say(text_of(headline), end="")
    say(f"\n{written[-1]}")
    return 0


AUDIT = Subcommand(
    "audit", audit, "what guesses get, what leaks and what is confirmed, side by side",
    (
        arg("releases", "DIR", "folders or archives of releases", Path, nargs="+"),
        switch("--no-mining", "mine no rules where a release has none"),
        arg("--resamples", "N", "resamples of an interval (1000)", within(1), default=1000),
        "seed",
        arg("-o --output", "OUT", "folder to write", Path, required=True),
    ),
    _OF_AUDITS, beside_output=True,
)  # fmt: skip

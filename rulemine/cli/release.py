"""The commands that show and convert releases: ``show``, ``rename``, ``archive``, ``export``, ``import``."""

import contextlib
import shutil
from argparse import Namespace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rulemine.cli.console import (
    Line,
    check_output,
    emit,
    expect,
    note,
    output_file,
    refuse_idle,
    say,
)
from rulemine.cli.keys import (
    Endpoint,
    ModelOptions,
    Page,
    QuestionsForm,
    Supervision,
    chosen,
    form_of,
    split_of,
)
from rulemine.codec import dump_line
from rulemine.errors import ConfigError, counted
from rulemine.evaluation.reporting import files, made
from rulemine.exports import exporting, protocol, registry
from rulemine.importing.importer import import_set
from rulemine.registry import split_names
from rulemine.release import (
    Release,
    groups,
    naming,
    outputs,
    records,
    rename,
    sheet,
    show,
    write_archive,
)


def run_show(arguments: Namespace) -> None:
    """Runs ``show``."""
    asked = [name for name in ("id", "sample") if getattr(arguments, name)]
    if arguments.serve:
        refuse_idle(arguments, "showing questions", *asked, "summary", "sheet", "output")
        _serve(arguments)
        return
    if arguments.summary:
        refuse_idle(arguments, "single questions", *asked, "sheet")
    elif arguments.sheet is not None:
        refuse_idle(arguments, "showing questions", *asked)
    else:
        refuse_idle(arguments, "--summary", "output")
    check_output(arguments.output)
    release = Release.open(arguments.release)
    if arguments.summary:
        release.expect_answers("--summary")
        release.expect_certificates("--summary")
        emit(files.to_text(made.summary_of(release)), arguments.output)
    elif arguments.sheet is not None:
        emit(sheet.sheet_text(release, arguments.sheet).rstrip("\n"), arguments.output)
    else:
        columns = shutil.get_terminal_size((100, 24)).columns
        with Line().watch("show"):
            some = groups.sample(release.questions(), arguments.sample) if arguments.sample else ()
            if not (ids := [*arguments.id, *(question.id for question in some)]):
                raise ConfigError("show: name a question, or give --sample N.")
            shown = show.show(release, *ids, width=columns)
        say(shown)


def _serve(arguments: Namespace) -> None:
    """Runs ``show --serve``; what serves takes long to load."""
    from rulemine.evaluation.reporting import documents, loopback
    from rulemine.exports import endpoint

    how, line = form_of(arguments.serve, "--serve", page=Page, sparql=Endpoint), Line()
    release = Release.open(arguments.release)
    if isinstance(how, Page):
        with line.watch("serve") as advance:
            page = files.to_html(
                documents.document_of_questions(release, split_of(how.split), advance)
            )
        with loopback.make_server(page, how.port) as server:
            _until_interrupted(server, "/ (Ctrl-C ends)")
        return
    # A port in use is reported before the work.
    loopback.listen(how.port, loopback.LoopbackHandler).server_close()
    with line.watch("serve") as advance:
        named = exporting.naming_for(release, how.naming or None, line.note)
        served = protocol.ExportInput(release, named, how.kg, progress=advance, note=line.note)
        workers = endpoint.workers_of(served, how.iris, how.timeout, how.max_rows)
    about = (
        f"{release.name}, {how.kg} graph: {counted(len(served.kg), 'triple')}, "
        f"{counted(len(served.kg.entities), 'entity', 'entities')}, named {named}"
    )
    with (
        contextlib.closing(workers),
        endpoint.make_endpoint(workers, how.port, about) as server,
    ):
        _until_interrupted(server, f"/sparql (Ctrl-C ends)\n{about}")


def _until_interrupted(server: Any, place: str) -> None:
    print(f"http://127.0.0.1:{server.server_port}{place}", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()
    print()


def run_rename(arguments: Namespace) -> None:
    """Runs ``rename``."""
    release = Release.open(arguments.release)
    with Line().watch("rename"):
        rename(release, arguments.output, arguments.naming, replace=arguments.replace)
    say(f"{arguments.output}: {arguments.release} in {arguments.naming} naming")


def run_archive(arguments: Namespace) -> None:
    """Runs ``archive``."""
    release = Release.open(arguments.release)
    source, hide = arguments.release, arguments.hide
    named = source.resolve() if source.name in ("", "..") else source
    ending = f"-without-{hide}.tar" if hide else ".tar"
    output = arguments.output or named.with_name(f"{named.name.removesuffix('.tar')}{ending}")
    expect(
        not output.exists() or not output.samefile(source),
        f"{output}: is the release itself. Name another file with -o.",
    )
    check_output(output, output.with_name(f"{output.name}.sha256"))
    left_out = 0
    with Line().watch("archive"), TemporaryDirectory(prefix="rulemine-") as folder:
        if hide:
            from rulemine.release import hiding  # loads what answers Cypher

            left_out = hiding.write_hidden(release, Path(folder))
            release = Release.open(folder)
        digest = write_archive(release, output)
    if left_out:
        questions = counted(left_out, "question")
        note(f"{questions} of other splits left out, since they state what {hide} asks")
    say(f"{digest}  {output}")


def run_import(arguments: Namespace) -> None:
    """Runs ``import``."""
    with Line().watch("import") as advance:
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


def run_export(arguments: Namespace) -> None:
    """Runs ``export``."""
    names = list(dict.fromkeys(split_names(arguments.to)))
    expect(names, "--to names nothing; expected a format, e.g. --to rog.")
    for form, run in (("questions", _questions), ("supervision", _supervision)):
        if names[0].partition(":")[0] == form:
            expect(len(names) == 1, f"--to {form}: has no folder beside others. Name it alone.")
            run(arguments, names[0])
            return
    refuse_idle(arguments, "--to supervision", "set")
    expect(
        arguments.output is not None,
        "missing: -o/--output, the folder to write. See rulemine export --help.",
    )
    for name in names:
        registry.find_exporter(name)
    release, line, output = Release.open(arguments.release), Line(), arguments.output
    places = {n: output / file_name(n) if len(names) > 1 else output for n in names}
    how = {key: getattr(arguments, key) for key in ("naming", "kg", "seed", "without_answers")}
    how["kg"], how["seed"] = how["kg"] or "incomplete", how["seed"] or 0
    for name, place in places.items():  # before the first is written
        exporting.check_export(release, name, place, **how)
    for name, place in places.items():
        with line.watch(f"export {name}") as advance:
            written = exporting.export(
                release, name, place, **how, progress=advance, note=line.note
            )
        say(written.to_text(name))


def file_name(name: str) -> str:
    """A format with its options as a file name, which an option of another program can hold."""
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in name)


def _questions(arguments: Namespace, form: str) -> None:
    """Runs ``export --to questions``."""
    how = form_of(form, "--to", questions=QuestionsForm)
    refuse_idle(arguments, "other formats", "kg", "seed", "without_answers", "set")
    output = arguments.output and output_file(str(arguments.output))
    check_output(output)
    release = Release.open(arguments.release)
    asked = groups.sample(release.questions(split_of(how.split)), how.sample)
    if arguments.naming not in (None, release.naming):
        asked = naming.questions_in(release, asked, arguments.naming)
    emit((dump_line(records.asked_row(q)) + "\n" for q in asked), output)


def _supervision(arguments: Namespace, form: str) -> None:
    """Runs ``export --to supervision``; what compares takes long to load."""
    from rulemine.evaluation.supervision import path_reader, supervision

    how = form_of(form, "--to", supervision=Supervision)
    refuse_idle(arguments, "other formats", "naming", "seed", "without_answers")
    expect(
        bool(how.model) == bool(how.replies),
        "--to supervision: model and replies go together: name the model, and a folder for its replies.",
    )
    if arguments.set and not how.model:
        raise ConfigError(f"--set {arguments.set[0]}: is for a model, supervision:model=NAME.")
    labels: Path | None = arguments.output
    expect(
        not labels
        or not how.replies
        or not outputs.real(Path(how.replies)).is_relative_to(outputs.real(labels)),
        f"-o {labels}: is replaced as a whole, and {how.replies} is inside it. Name another place for "
        "one of the two.",
    )
    release, line = Release.open(arguments.release), Line()
    graph, split, read = arguments.kg or "incomplete", split_of(how.split), None
    with line.watch("supervision") as advance:
        if how.model:
            folder = Path(how.replies)
            outputs.check_place(folder, [arguments.release])
            read = partial(
                path_reader.read_paths, release, how.model, max_tokens=how.max_tokens, kg=graph, split=split,
                sample=how.sample, endpoint=chosen(arguments, ModelOptions).endpoint, folder=folder,
                progress=advance, note=line.note,
            )  # fmt: skip
        document = supervision.report_supervision(
            release, graph, split=split, targets=how.answers, labels=labels, progress=advance, further=read
        )  # fmt: skip
    emit(files.render(document, how.format), None)

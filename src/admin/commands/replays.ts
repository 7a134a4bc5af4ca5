import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import type { PresentedReplay, Replay } from '../../replays/replay.ts'
import type { ReplayRequest } from '../../replays/start.ts'
import { replayDisplay } from '../../staff-acts/shown.ts'
import { addSubcommand, commandAction, examplesHelp, orFail, withProgressBar } from './act.ts'
import { fromTimeOption, idArgument, parseEventNames, toTimeOption } from './arguments.ts'
import type { AdminDeps } from './run.ts'
import { type CommandColumn, formatTable, toColumn } from './text.ts'

const replayHelp = `
Workers replay the events of the endpoint's environment, oldest first, at most 200
per second, alongside new events. An existing delivery gets one more attempt with
the same id and body. If it fails, a delivery that was dead becomes dead again, and any
other continues with its automatic attempts. A missing delivery is created and gets
its usual automatic attempts. Events that happen after the start of the replay are
not part of it.

With --follow, the command waits until the replay has ended. If you interrupt the
command, the replay continues.
${examplesHelp(
  'deliveries replay --endpoint ID --from 2026-11-20 --dry-run',
  'deliveries replay --endpoint ID --from 2026-11-20T06:00Z --to 2026-11-20T07:00Z --only-undelivered --follow',
)}`

export function addReplayCommands(deliveries: Command): void {
  addSubcommand(deliveries, 'replay', 'replay the events of a period to an endpoint', replayHelp)
    .requiredOption('--endpoint <id>', 'the endpoint', idArgument)
    .addOption(fromTimeOption('select events that happened').makeOptionMandatory())
    .addOption(toTimeOption('select events that happened', ' (default: now)'))
    .option(
      '--events <list>',
      "select only these events (default: all the endpoint's events)",
      parseEventNames,
    )
    .option('--only-undelivered', 'leave out deliveries that the endpoint has accepted', false)
    .option('--dry-run', 'only count the events', false)
    .option('--follow', 'show the progress until the replay ends', false)
    .action(commandAction(replay))
  const replaysHelp = examplesHelp('deliveries replays --endpoint ID')
  addSubcommand(deliveries, 'replays', 'show the latest 10 replays of an endpoint', replaysHelp)
    .requiredOption('--endpoint <id>', 'the endpoint', idArgument)
    .action(
      commandAction(listReplays, ({ items }) => (items.length > 0 ? formatTable(columns, items) : 'None.')),
    )
  const cancelHelp = examplesHelp('deliveries cancel-replay ID')
  addSubcommand(deliveries, 'cancel-replay', 'stop a running replay', cancelHelp)
    .argument('<id>', 'the id of the replay', idArgument)
    .action(commandAction(cancelOne))
}

async function listReplays(deps: AdminDeps, { endpoint }: { endpoint: string }) {
  const { lookUpEndpoint } = await import('../../webhooks/deliveries/look-up.ts')
  const { findLatestReplays, presentReplay } = await import('../../replays/replay.ts')
  orFail(await lookUpEndpoint(deps, endpoint), `There is no endpoint ${endpoint}`)
  return { items: (await findLatestReplays(deps, endpoint)).map(presentReplay) }
}

const columns: CommandColumn<PresentedReplay>[] = [
  { title: 'ID', cell: ({ id }) => id },
  ...Object.values(replayDisplay).map(toColumn),
]

type OptionalPart = Partial<Pick<ReplayRequest, 'to' | 'events'>>
interface ReplayOptions extends OptionalPart, Pick<ReplayRequest, 'from' | 'onlyUndelivered'> {
  endpoint: string
  dryRun: boolean
  follow: boolean
}

async function replay(deps: AdminDeps, options: ReplayOptions) {
  const { lookUpEndpoint } = await import('../../webhooks/deliveries/look-up.ts')
  const { presentReplay } = await import('../../replays/replay.ts')
  const { planReplay, startReplay } = await import('../../replays/start.ts')
  const { countUndelivered } = await import('../../replays/selected-events.ts')
  const { endpoint: id, from, to = null, events = null, onlyUndelivered, dryRun, follow } = options
  const endpoint = orFail(await lookUpEndpoint(deps, id), `There is no endpoint ${id}`)
  const planned = await planReplay(deps, endpoint, { from, to, events, onlyUndelivered })
  if (dryRun) {
    const { total, endpointId, from: first, to: last, events: names, sandbox } = planned
    const undelivered = await countUndelivered(planned, deps)
    return { total, undelivered, endpointId, from: first, to: last, events: names, onlyUndelivered, sandbox }
  }
  const started = await startReplay(deps, planned, deps.by)
  if (!follow) return presentReplay(started)
  const ended = await waitForEnd(deps, started)
  if (ended.status !== 'DONE') process.exitCode = 1
  return presentReplay(ended)
}

const waitForEnd = (deps: AdminDeps, { _id, total }: Replay): Promise<Replay> =>
  withProgressBar(deps, total, async (advance) => {
    for (let shown = 0; ; ) {
      const current = await deps.Replay.findById(_id).orFail().lean<Replay>()
      const processed = current.requeued + current.created + current.skipped
      advance(processed - shown)
      shown = processed
      if (current.status !== 'RUNNING') return current
      await pause(500)
    }
  })

async function cancelOne(deps: AdminDeps, id: string) {
  const { cancelReplay, presentReplay } = await import('../../replays/replay.ts')
  const read = async () =>
    orFail(await deps.Replay.findById(id).lean<Replay | null>(), `There is no replay ${id}`)
  await cancelReplay(deps, await read(), deps.by)
  return presentReplay(await read())
}

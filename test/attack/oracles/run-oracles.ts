import { percentile } from '../../../bench/percentile.ts'
import type { MadeSecrets } from '../cast/secrets.ts'
import { type Neighbour, type Neighbourly, neighbourly } from '../neighbour.ts'
import type { Attacked, State } from '../stage/process.ts'
import type { Receivers } from '../stage/receivers.ts'
import type { Stored } from './stored.ts'

/** The observations of a whole run. */
export interface Run {
  processes: readonly Attacked[]
  receivers: Pick<Receivers, 'trapped' | 'honestPort'>
  /** Production settings allow no endpoint on this machine. */
  isProduction: boolean
  /** The ports of MongoDB, Redis and the wallet provider. */
  serverPorts: readonly number[]
  secrets: MadeSecrets
  stored: Stored
  businessIds: readonly string[]
  /** The statuses of the responses, by the number of the request. */
  statuses: ReadonlyMap<number, readonly number[]>
  /** The states of both processes after the rest. */
  states: readonly State[]
  memory: readonly Memory[]
  /** Null if no neighbour was watched. */
  neighbour: Neighbour | null
}

/** The memory of a process after the warm-up and after the rest, in bytes. */
export interface Memory {
  name: string
  early: number
  late: number
  /** The number of requests in between. */
  requests: number
}

/** The oracles for the whole run, by name. Each returns its violations. */
export const runOracles: Readonly<Record<string, (run: Run) => string[]>> = {
  'nothing ended': ({ processes }) => processes.map((each) => each.endedAs()).filter((end) => end !== null),

  'no error logged': ({ processes }) =>
    processes.flatMap((each) =>
      linesOf(each).filter((line) => /^\{"level":"(error|fatal)"/.test(line) || !line.startsWith('{')),
    ),

  'no secret logged': ({ processes, secrets }) =>
    processes.flatMap((each) =>
      linesOf(each).flatMap((line) =>
        secrets
          .foundIn(line.replace(/"pid":\d+/, ''))
          .map((secret) => `${secret} stands in the log of ${each.name}: ${line}`),
      ),
    ),

  'nothing private reached': ({ processes, receivers, serverPorts, isProduction }) => {
    const ports = isProduction ? serverPorts : [...serverPorts, receivers.honestPort]
    const allowed = new Set(ports.flatMap((port) => [`127.0.0.1:${port}`, `::1:${port}`]))
    const reached = processes.flatMap((each) =>
      each
        .connections()
        .filter((to) => !allowed.has(to))
        .map((to) => `${each.name} connected to ${to}`),
    )
    return [...reached, ...receivers.trapped]
  },

  'nothing stored is wrong': ({ stored }) => stored.faults,

  'nothing refused is stored': ({ stored, statuses }) =>
    stored.marks
      .filter(({ number }) => number !== null && !(statuses.get(number) ?? []).some((status) => status < 400))
      .map(
        ({ number, collection }) =>
          `${collection} has what request ${number} said, which was answered ${statuses.get(number ?? -1)?.join() ?? 'not'}`,
      ),

  'stored apart': ({ stored, businessIds }) =>
    stored.marks
      .filter(
        ({ owner, mode, businessId, sandbox }) =>
          (businessId !== null && businessIds[owner] !== businessId) ||
          (sandbox !== null && mode !== null && sandbox !== (mode === 'test')),
      )
      .map(
        ({ owner, mode, number, collection }) =>
          `${collection} of another business or environment has what ${owner} said in ${mode}, in request ${number}`,
      ),

  'prototypes as they were': ({ states }) =>
    states.flatMap(({ strange }) => strange.map((name) => `${name} is not as it was at the start`)),

  'memory as it was': ({ memory }) =>
    memory
      .filter(({ early, late, requests }) => late - early > spareBytes + perRequest * requests)
      .map((one) => `${memoryOf(one)} MiB, after ${one.requests} requests and a rest`),

  'no neighbour is slowed': ({ neighbour }) =>
    neighbour === null
      ? []
      : [
          ...neighbour.refused.map((what) => `refused to the neighbour: ${what}`),
          ...neighbourly.map((what) => slowed(what, neighbour)).filter((fault) => fault !== null),
        ],
}

/** The attack and the service share the processors, so the neighbour is slower than alone. */
const mostTimes = 10
/** The least p99 alone, in ms. With a smaller one, the ratio would say more about the machine than about the service. */
const leastAloneMs = 100

function slowed(what: Neighbourly, { alone, beside }: Neighbour): string | null {
  if (beside[what].length === 0) return null
  const [before, p99] = [percentile(alone[what], 0.99), percentile(beside[what], 0.99)]
  const limit = mostTimes * Math.max(leastAloneMs, before)
  if (p99 <= limit) return null
  return `p99 of each ${what} of the neighbour: ${p99.toFixed(0)} ms during the attack, ${before.toFixed(0)} ms alone`
}

/** Code that is rarely used is compiled late. */
const spareBytes = 4 * 1024 * 1024
/** Metrics and the driver's own counts grow for a while. */
const perRequest = 100

/** `web 50.1 → 51.2`, in MiB. */
export const memoryOf = ({ name, early, late }: Memory): string => `${name} ${inMiB(early)} → ${inMiB(late)}`

const inMiB = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1)

const linesOf = (process: Attacked): string[] =>
  process
    .log()
    .split('\n')
    .filter((line) => line !== '')

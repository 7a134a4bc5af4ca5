import { percentile } from '../../../bench/times.ts'
import type { MadeSecrets } from '../cast/cast.ts'
import { type Neighbour, type Neighbourly, neighbourly } from '../neighbour.ts'
import type { EndpointServers } from '../stage/endpoint-servers.ts'
import type { Attacked, State } from '../stage/process.ts'
import type { Stored } from './stored.ts'

export interface Run {
  processes: readonly Attacked[]
  endpointServers: Pick<EndpointServers, 'trapped' | 'allowedPort'>
  /** Production settings allow no endpoint on this machine. */
  isProduction: boolean
  serverPorts: readonly number[]
  secrets: MadeSecrets
  stored: Stored
  businessIds: readonly string[]
  statuses: ReadonlyMap<number, readonly number[]>
  states: readonly State[]
  memory: readonly Memory[]
  neighbour: Neighbour | null
}

export type Memory = { name: string; early: number; late: number; requests: number }

export const runChecks: Readonly<Record<string, (run: Run) => string[]>> = {
  'no process ended': ({ processes }) => processes.flatMap((each) => each.endedAs() ?? []),
  'no error logged': ({ processes }) =>
    processes.flatMap((each) =>
      each.log.filter((line) => /^\{"level":"(error|fatal)"/.test(line) || !line.startsWith('{')),
    ),
  'no secret logged': ({ processes, secrets }) =>
    processes.flatMap((each) =>
      each.log.flatMap((line) =>
        secrets
          .foundIn(line.replace(/"pid":\d+/, ''))
          .map((secret) => `the log of ${each.name} contains the ${secret}: ${line}`),
      ),
    ),
  'nothing private reached': ({ processes, endpointServers, serverPorts, isProduction }) => {
    const ports = isProduction ? serverPorts : [...serverPorts, endpointServers.allowedPort]
    const allowed = new Set(ports.flatMap((port) => [`127.0.0.1:${port}`, `::1:${port}`]))
    const outside = (each: Attacked) => each.connections().filter((to) => !allowed.has(to))
    const reached = processes.flatMap((each) => outside(each).map((to) => `${each.name} connected to ${to}`))
    return [...reached, ...endpointServers.trapped]
  },
  'nothing stored is wrong': ({ stored }) => stored.faults,
  'nothing refused is stored': ({ stored, statuses }) =>
    stored.tags
      .filter(({ number }) => number !== null && !(statuses.get(number) ?? []).some((status) => status < 400))
      .map(
        ({ number, collection }) =>
          `${collection} has data of request ${number}, whose status is ${statuses.get(number ?? -1)?.join() ?? 'none'}`,
      ),
  'stored for its owner': ({ stored, businessIds }) =>
    stored.tags
      .filter(
        ({ owner, mode, businessId, sandbox }) =>
          (businessId !== null && businessIds[owner] !== businessId) ||
          (sandbox !== null && mode !== null && sandbox !== (mode === 'test')),
      )
      .map(
        ({ owner, mode, number, collection }) =>
          `${collection} has data of business ${owner} in ${mode}, from request ${number}, under another owner or environment`,
      ),
  'prototypes unchanged': ({ states }) =>
    states.flatMap(({ strange }) => strange.map((name) => `${name} has changed since the start`)),
  'no memory leaked': ({ memory }) =>
    memory
      .filter(({ early, late, requests }) => late - early > spareBytes + bytesPerRequest * requests)
      .map((one) => `${memoryOf(one)} MiB, after ${one.requests} requests and a pause`),
  'no neighbour is slowed': ({ neighbour }) =>
    neighbour === null ? [] : [...refusals(neighbour), ...slowdowns(neighbour)],
}

/** The attack and the service share the processors, so the neighbour is slower than alone. */
const maxRatio = 10
/** Below this, the ratio says more about the machine than about the service. */
const minAloneMs = 100
const refusals = ({ refused }: Neighbour) => refused.map((what) => `refused to the neighbour: ${what}`)
const slowdowns = (neighbour: Neighbour): string[] =>
  neighbourly.map((what) => slowdown(what, neighbour)).filter((fault) => fault !== null)

function slowdown(what: Neighbourly, { alone, beside }: Neighbour): string | null {
  if (beside[what].length === 0) return null
  const [before, p99] = [percentile(alone[what], 0.99), percentile(beside[what], 0.99)]
  const limit = maxRatio * Math.max(minAloneMs, before)
  if (p99 <= limit) return null
  return `p99 of the neighbour's ${what}: ${p99.toFixed(0)} ms in the attack, ${before.toFixed(0)} ms alone`
}

const spareBytes = 4 * 1024 * 1024
const bytesPerRequest = 100
export const memoryOf = ({ name, early, late }: Memory) => `${name} ${inMiB(early)} → ${inMiB(late)}`
const inMiB = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1)

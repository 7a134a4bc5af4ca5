import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Assault, createAssault } from './assault.ts'
import { assembleCast } from './cast/cast.ts'
import { createFirstResources } from './cast/first-resources.ts'
import { type Memory, memoryOf, runChecks } from './checks/run-checks.ts'
import { readStored } from './checks/stored.ts'
import { volley } from './generators/attacks.ts'
import { hunt } from './hunt.ts'
import { startNeighbour } from './neighbour.ts'
import type { Options } from './options.ts'
import type { Attacked, State } from './stage/process.ts'
import { openStage, type Stage } from './stage/stage.ts'
import { createViolations } from './violations.ts'

const warmUpVolleys = 5
const warmUpShare = 1 / 4
/** Long enough for connections to close, and for requests and batches in memory to end. */
const restMs = 8_000
const requestsPerName = 200
const volleysPerReport = 100
export type Sought = { foundBy: string; at: RegExp; times: number }

export async function attackOnce(build: string, options: Options, sought: Sought | null) {
  const folder = mkdtempSync(join(tmpdir(), 'payment-intents-attack-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  const stage = await openStage(build, folder, options.isProduction)
  const cast = await assembleCast(stage)
  const violations = createViolations()
  const assault = createAssault(stage.port, cast, violations)
  await createFirstResources(assault, cast)
  const { web, worker, servers, endpointServers, provider, deps } = stage
  const isWatched = sought === null || sought.foundBy === 'no neighbour is slowed'
  const neighbour = isWatched ? await startNeighbour(stage, options.isProduction) : null
  const startedAt = performance.now()
  const endAt = startedAt + options.minutes * 60_000
  const isFound = (): boolean => sought !== null && violations.checks().includes(sought.foundBy)
  const isBroken = (): boolean => performance.now() > endAt || web.endedAs() !== null || isFound()
  const requests = options.requests * (sought?.times ?? 1)
  const isOver = (): boolean => assault.sent() >= requests || isBroken()
  const names = Math.ceil(options.requests / requestsPerName)
  const isHunted = sought === null || sought.foundBy === 'nothing private reached'
  const hunting = isHunted
    ? hunt(stage, cast, options.seed, names, isBroken).catch((error) => [`the hunt failed: ${String(error)}`])
    : []
  const early = await sendAll(assault, stage, { ...options, requests }, sought?.at ?? /./, isOver)
  const seconds = (performance.now() - startedAt) / 1000
  const beside = web.endedAs() === null ? ((await neighbour?.end()) ?? null) : null
  for (const fault of await hunting) violations.add('nothing private reached', fault, null)
  if (sought === null || sought.foundBy === 'no memory leaked') await pause(restMs)
  const late = await statesOf(stage, assault.sent())
  const memory = early === null ? [] : memoryBetween(early, late)
  const stored = await readStored(deps.mongo, deps.config.maxAmount)
  const run = {
    processes: [web, worker],
    endpointServers,
    isProduction: options.isProduction,
    serverPorts: [...servers.map((server) => server.port), Number(new URL(provider.url).port)],
    secrets: cast.secrets,
    stored,
    businessIds: cast.businessIds,
    statuses: assault.statuses,
    states: late.states,
    neighbour: beside,
    memory,
  }
  for (const [name, check] of Object.entries(runChecks))
    for (const fault of check(run)) violations.add(name, fault, null)
  await stage.stop()
  process.removeListener('exit', remove)
  remove()
  const sent = assault.sent()
  const rate = `${sent} requests in ${seconds.toFixed(0)} s (${(sent / seconds).toFixed(0)}/s)`
  const held = memory.length > 0 ? `MiB held by ${memory.map(memoryOf).join(', ')}` : 'memory not checked'
  const counts = Map.groupBy([...assault.statuses.values()].flat(), (status) => status)
  const statuses = [...counts]
    .toSorted(([one], [other]) => one - other)
    .map(([status, own]) => `${status} × ${own.length}`)
  const summary = `${rate}, ${stored.documents} documents checked, ${held}, responses ${statuses.join('  ')}`
  return { violations, summary }
}

async function sendAll(
  assault: Assault,
  stage: Stage,
  { seed, inFlight, requests }: Options,
  at: RegExp,
  isOver: () => boolean,
): Promise<States | null> {
  let early: States | null = null
  for (let number = 0; !isOver(); number += 1) {
    const isEarly = number >= warmUpVolleys && assault.sent() >= requests * warmUpShare
    if (early === null && isEarly) early = await statesOf(stage, assault.sent())
    const aimed = volley(seed, number).filter(({ oneAtATime, atOnce }) =>
      [...oneAtATime, ...atOnce].some(({ target }) => at.test(target)),
    )
    await assault.play(aimed, inFlight)
    if ((number + 1) % volleysPerReport === 0) console.log(`${assault.sent()} requests sent`)
  }
  return early
}

type States = { states: readonly State[]; sent: number }

async function statesOf({ web, worker }: Stage, sent: number): Promise<States> {
  const stateOf = async (each: Attacked): Promise<State> =>
    each.endedAs() === null ? each.state() : { name: each.name, held: 0, strange: [] }
  return { states: await Promise.all([web, worker].map(stateOf)), sent }
}

const memoryBetween = (early: States, late: States): Memory[] =>
  early.states.map(({ name, held }, index) => ({
    name,
    early: held,
    late: late.states[index]?.held ?? 0,
    requests: late.sent - early.sent,
  }))

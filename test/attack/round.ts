import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Asked } from './arguments.ts'
import { type Assault, createAssault } from './assault.ts'
import { assembleCast } from './cast/cast.ts'
import { lay } from './cast/first-things.ts'
import { volley } from './generators/attacks.ts'
import { hunt } from './hunt.ts'
import { startNeighbour } from './neighbour.ts'
import { type Memory, memoryOf, runOracles } from './oracles/run-oracles.ts'
import { readStored } from './oracles/stored.ts'
import { createTally, type Tally } from './report/tally.ts'
import { createViolations, type Violations } from './report/violations.ts'
import type { Attacked, State } from './stage/process.ts'
import { openStage, type Stage } from './stage/stage.ts'

/** The warm-up, after which all code is loaded and compiled: so many volleys, and this part of the requests. */
const earlyVolleys = 5
const earlyPart = 1 / 4
/** Longer than a closed connection, a running request or a batch stays in memory. */
const restMs = 8_000
/** The hunt tries one name for so many requests. */
const requestsPerName = 200

/** A long run prints its progress after so many volleys. */
const volleysTold = 100

export interface Round {
  tally: Tally
  violations: Violations
  /** A summary in one sentence. */
  says: string
}

/** A planted bug. */
export interface Sought {
  /** The oracle that must find it. The round ends when it has, and skips what other oracles need. */
  foundBy: string
  /** The names of the targets that show it. Requests to others are skipped. */
  at: RegExp
  /** The factor for the number of requests. */
  times: number
}

/** Attacks a build of the service once. With `sought` null, nothing is planted and every oracle is applied. */
export async function attackOnce(build: string, asked: Asked, sought: Sought | null): Promise<Round> {
  const folder = mkdtempSync(join(tmpdir(), 'payment-intents-attack-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  const stage = await openStage(build, folder, asked.isProduction)
  const cast = await assembleCast(stage)
  const [tally, violations] = [createTally(), createViolations()]
  const assault = createAssault({ port: stage.port, cast, tally, violations })
  await lay(assault, cast)

  const { web, worker, servers, receivers, provider, deps } = stage
  const isWatched = sought === null || sought.foundBy === 'no neighbour is slowed'
  const neighbour = isWatched ? await startNeighbour(stage, asked.isProduction) : null
  const startedAt = performance.now()
  const endAt = startedAt + asked.minutes * 60_000
  const isFound = (): boolean => sought !== null && violations.oracles().includes(sought.foundBy)
  const isBroken = (): boolean => performance.now() > endAt || web.endedAs() !== null || isFound()
  const requests = asked.requests * (sought?.times ?? 1)
  const isOver = (): boolean => assault.sent() >= requests || isBroken()
  const names = Math.ceil(asked.requests / requestsPerName)
  // Its errors are reported at the end. It breaks off if the service ends.
  const isHunted = sought === null || sought.foundBy === 'nothing private reached'
  const hunting = isHunted
    ? hunt(stage, cast, asked.seed, names, isBroken).catch((error: unknown) => [
        `the hunt broke off: ${String(error)}`,
      ])
    : []
  const early = await sendAll(assault, stage, { ...asked, requests }, sought?.at ?? /./, isOver)
  const seconds = (performance.now() - startedAt) / 1000
  const beside = web.endedAs() === null ? ((await neighbour?.end()) ?? null) : null
  // The hunt tries every address, unless the time is up.
  for (const fault of await hunting) violations.add('nothing private reached', fault, null)

  if (sought === null || sought.foundBy === 'memory as it was') await pause(restMs)
  const late = await statesOf(stage, assault.sent())
  const memory = early === null ? [] : memoryBetween(early, late)
  const stored = await readStored(deps.mongo, deps.config.maxAmount)
  const run = {
    processes: [web, worker],
    receivers,
    isProduction: asked.isProduction,
    serverPorts: [...servers.map((server) => server.port), Number(new URL(provider.url).port)],
    secrets: cast.secrets,
    stored,
    businessIds: cast.businessIds,
    statuses: assault.statuses,
    states: late.states,
    neighbour: beside,
    memory,
  }
  for (const [name, oracle] of Object.entries(runOracles))
    for (const fault of oracle(run)) violations.add(name, fault, null)
  await stage.stop()
  process.removeListener('exit', remove)
  remove()
  const rate = `${assault.sent()} requests in ${seconds.toFixed(0)} s (${(assault.sent() / seconds).toFixed(0)}/s)`
  const held = memory.length > 0 ? `MiB held by ${memory.map(memoryOf).join(', ')}` : 'memory not judged'
  return { tally, violations, says: `${rate}, ${stored.documents} documents looked at, ${held}` }
}

/** Sends volleys. Returns the states of the processes after the warm-up, or null if it ended before. */
async function sendAll(
  assault: Assault,
  stage: Stage,
  { seed, inFlight, requests }: Asked,
  at: RegExp,
  isOver: () => boolean,
): Promise<States | null> {
  let early: States | null = null
  for (let number = 0; !isOver(); number += 1) {
    const isEarly = number >= earlyVolleys && assault.sent() >= requests * earlyPart
    if (early === null && isEarly) early = await statesOf(stage, assault.sent())
    const aimed = volley(seed, number).filter(({ oneAtATime, atOnce }) =>
      [...oneAtATime, ...atOnce].some(({ target }) => at.test(target)),
    )
    await assault.play(aimed, inFlight)
    if ((number + 1) % volleysTold === 0) console.log(`${assault.sent()} requests sent`)
  }
  return early
}

/** The states of `web` and `worker`, and the number of requests until then. A process that ended has no memory. */
interface States {
  states: readonly State[]
  sent: number
}

async function statesOf({ web, worker }: Stage, sent: number): Promise<States> {
  const stateOf = async (each: Attacked): Promise<State> =>
    each.endedAs() === null ? each.state() : { name: each.name, held: 0, strange: [] }
  return { states: await Promise.all([web, worker].map(stateOf)), sent }
}

const memoryBetween = (early: States, late: States): Memory[] =>
  early.states.map(({ name, held }, place) => ({
    name,
    early: held,
    late: late.states[place]?.held ?? 0,
    requests: late.sent - early.sent,
  }))

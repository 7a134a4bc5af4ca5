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
import { inMiB, runOracles } from './oracles/run-oracles.ts'
import { readStored } from './oracles/stored.ts'
import { createTally, type Tally } from './report/tally.ts'
import { createViolations, type Violations } from './report/violations.ts'
import type { State } from './stage/process.ts'
import { openStage, type Stage } from './stage/stage.ts'

/** By then everything that is used is loaded and compiled. */
const earlyVolleys = 5
/** Longer than a closed connection, a request under way and a lane are kept. */
const restMs = 8_000
/** One name for so many requests is tried as a receiver. */
const requestsPerName = 200

/** After so many a long run says how far it is. */
const volleysTold = 100

/** What a round found. */
export interface Round {
  tally: Tally
  violations: Violations
  /** How much was done, in a sentence. */
  says: string
}

/** A bug that is planted in the build, and must be found. */
export interface Sought {
  /** The oracle that must find it: the round is over as soon as it did, and nothing is waited for that others need. */
  foundBy: string
  /** The names of the targets where it can be met; what is sent to others is left out. */
  at: RegExp
}

/** Attacks a build of the service once, from its start to its end. `sought`: null where nothing is planted, and everything looked at. */
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
  const startedAt = performance.now()
  const endAt = startedAt + asked.minutes * 60_000
  const isFound = (): boolean => sought !== null && violations.oracles().includes(sought.foundBy)
  const isBroken = (): boolean => performance.now() > endAt || web.endedAs() !== null || isFound()
  const isOver = (): boolean => assault.sent() >= asked.requests || isBroken()
  const names = Math.ceil(asked.requests / requestsPerName)
  // Looked at in the end; a service that ended breaks it off before.
  const isHunted = sought === null || sought.foundBy === 'nothing private reached'
  const hunting = isHunted
    ? hunt(stage, cast, asked.seed, names, isBroken).catch((error: unknown) => [
        `the hunt broke off: ${String(error)}`,
      ])
    : []
  const early = await sendAll(assault, stage, asked, sought?.at ?? /./, isOver)
  const seconds = (performance.now() - startedAt) / 1000
  // It takes as long as it takes, so that every address is tried in every run.
  for (const fault of await hunting) violations.add('nothing private reached', fault, null)

  if (sought === null) await pause(restMs)
  const late = await stateOf(stage)
  const stored = await readStored(deps.mongo, deps.config.maxAmount)
  const run = {
    processes: [web, worker],
    receivers,
    serverPorts: [...servers.map((server) => server.port), Number(new URL(provider.url).port)],
    secrets: cast.secrets,
    stored,
    businessIds: cast.businessIds,
    statuses: assault.statuses,
    states: { early: early ?? late, late },
  }
  for (const [name, oracle] of Object.entries(runOracles))
    for (const fault of oracle(run)) violations.add(name, fault, null)
  await stage.stop()
  process.removeListener('exit', remove)
  remove()
  const rate = `${assault.sent()} requests in ${seconds.toFixed(0)} s (${(assault.sent() / seconds).toFixed(0)}/s)`
  const heap = `heap of web ${inMiB(run.states.early.heapUsed)} → ${inMiB(late.heapUsed)} MiB`
  return { tally, violations, says: `${rate}, ${stored.documents} documents looked at, ${heap}` }
}

/** Volley after volley. Answers the state of `web` early on, or null where it was over before. */
async function sendAll(
  assault: Assault,
  stage: Stage,
  { seed, inFlight }: Asked,
  at: RegExp,
  isOver: () => boolean,
): Promise<State | null> {
  let early: State | null = null
  for (let number = 0; !isOver(); number += 1) {
    if (number === earlyVolleys) early = await stateOf(stage)
    const aimed = volley(seed, number).filter(({ inTurn, atOnce }) =>
      [...inTurn, ...atOnce].some(({ target }) => at.test(target)),
    )
    await assault.play(aimed, inFlight)
    if ((number + 1) % volleysTold === 0) console.log(`${assault.sent()} requests sent`)
  }
  return early
}

/** One that has ended holds nothing. */
const stateOf = ({ web }: Stage): Promise<State> =>
  web.endedAs() === null ? web.state() : Promise.resolve({ heapUsed: 0, strange: [] })

import { setTimeout as pause } from 'node:timers/promises'
import mongoose, { type mongo } from 'mongoose'
import { unleash } from '../nemesis/nemesis.ts'
import type { PlannedFault, Servers } from '../plan/fault.ts'
import type { OperationName } from '../traffic/operations.ts'
import { startTraffic, type Traffic } from '../traffic/traffic.ts'
import { dump } from './dump.ts'
import type { Notes } from './notes.ts'
import { awaitQuiet } from './quiet.ts'
import { settings } from './settings.ts'
import type { Stage } from './stage.ts'

export interface RoundAsked {
  /** Of traffic and receivers. */
  seed: number
  /** Made by `buildWith`. */
  build: string
  servers: Servers
  trafficSeconds: number
  /** Operations that the traffic begins in a second. */
  perSecond: number
  /** What the traffic does ten times as often as it would. */
  often: readonly OperationName[]
  plan: readonly PlannedFault[]
  /** What cannot begin within so long of its time is left out. */
  mostLateMs: number
  /** How long it may take, once all is healed, until nothing is under way any more. */
  quietSeconds: number
  /** Where the evidence goes; emptied first. */
  folder: string
}

/** What a wallet may still carry out is held for two minutes or more: what a poll (every 6 s) could not end need not wait for that. */
const WALLET_PATIENCE_SECONDS = 8
const HELD_MS = 5 * 60_000
/** What is older than five minutes is not counted again (docs/pagination.md). */
const COUNTED_MS = 6 * 60_000

const DAY_MS = 86_400_000

/** All that happens on the stage, until its processes have ended and the evidence is whole. */
export async function play(asked: RoundAsked, stage: Stage, notes: Notes): Promise<void> {
  const traffic = await startTraffic({
    seed: asked.seed,
    receivers: stage.receivers,
    origins: () => stage.origins,
    admin: stage.commandLine.run,
    clockAheadMs: stage.clocks.aheadMs,
    perSecond: asked.perSecond,
    often: asked.often,
  })
  try {
    notes.setting({ beganAt: Date.now(), ...traffic.provisioned })
    await disturb(asked, stage, traffic, notes)
    await comeToRest(asked, stage, traffic, notes)
  } finally {
    await traffic.close()
  }
}

async function disturb(asked: RoundAsked, stage: Stage, traffic: Traffic, notes: Notes): Promise<void> {
  const all = async () =>
    void (await Promise.all([
      unleash(stage, asked.plan, asked.mostLateMs, notes.fault),
      pause(asked.trafficSeconds * 1000),
    ]))
  await notes.attempt('the faults', all)
  await notes.attempt('the healing', async () => {
    for (const one of stage.processes.values()) await one.start()
  })
  notes.setting({ healedAt: Date.now() })
  await notes.attempt('an operation of the traffic', traffic.settle)
}

async function comeToRest(asked: RoundAsked, stage: Stage, traffic: Traffic, notes: Notes): Promise<void> {
  const { attempt } = notes
  const client = new mongoose.mongo.MongoClient(stage.servers.mongodbUrl, { readConcernLevel: 'majority' })
  try {
    await attempt('the wait for quiet', () => passNight(asked, stage, client.db(), notes))
    // Of lists only what is older than five minutes is counted by marks, which are to be seen.
    jump(stage, COUNTED_MS, notes)
    await attempt('the audit', traffic.audit)
    await attempt('the end of the processes', async () => {
      await Promise.all([...stage.processes.values()].map((one) => one.end()))
    })
    await attempt('the dump', () => dump(client.db(), asked.folder))
  } finally {
    await client.close()
  }
}

/** Where clocks went past what the sandbox keeps, another night passes when all is quiet: nothing old is left by the next quiet. */
async function passNight(asked: RoundAsked, stage: Stage, db: mongo.Db, notes: Notes): Promise<void> {
  const isQuiet = await becomeQuiet(asked, stage, db, notes)
  if (!isQuiet || stage.clocks.aheadMs() < settings.sandboxRetentionDays * DAY_MS) return
  jump(stage, DAY_MS, notes)
  await becomeQuiet(asked, stage, db, notes)
}

async function becomeQuiet(asked: RoundAsked, stage: Stage, db: mongo.Db, notes: Notes): Promise<boolean> {
  const now = () => new Date(Date.now() + stage.clocks.aheadMs())
  const giveUpAt = Date.now() + asked.quietSeconds * 1000
  for (;;) {
    const { quietAt, left } = await awaitQuiet(db, now, WALLET_PATIENCE_SECONDS)
    notes.setting({ quietAt, left: left.map(({ says }) => says) })
    if (quietAt !== null || Date.now() > giveUpAt) return quietAt !== null
    if (left.some(({ isHeld }) => isHeld)) jump(stage, HELD_MS, notes)
  }
}

function jump({ clocks }: Stage, ms: number, notes: Notes): void {
  const began = Date.now()
  clocks.jump(ms)
  notes.fault({ began, ended: Date.now(), what: 'clock.jump', target: `all +${ms}` }, null)
}

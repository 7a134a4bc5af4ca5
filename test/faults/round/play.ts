import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import mongoose, { type mongo } from 'mongoose'
import { type Fault, files, type Setting } from '../evidence/evidence.ts'
import { unleash } from '../nemesis/nemesis.ts'
import type { PlannedFault, Servers } from '../plan/fault.ts'
import type { OperationName } from '../traffic/operations.ts'
import { startTraffic, type Traffic } from '../traffic/traffic.ts'
import { dump } from './dump.ts'
import { awaitQuiet, isHeldForWallet } from './quiet.ts'
import { settings } from './settings.ts'
import type { Stage } from './stage.ts'

export interface RoundAsked {
  /** Of traffic and receivers. */
  seed: number
  /** Made by `buildWith`. */
  build: string
  servers: Servers
  trafficSeconds: number
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

/** Operations that the traffic begins in a second: what two cores bear beside four processes that die again and again. */
const PER_SECOND = 60

/** In a longer round the last intents come to their end in their own time, with nothing wrong: there expiry is judged to the second. */
const PATIENT_SECONDS = 120

/** What a wallet may still carry out is held for two minutes or more: who has waited for so long need not wait for that. */
const WALLET_PATIENCE_SECONDS = 12
const HELD_MS = 5 * 60_000

/** All that happens on the stage, until its processes have ended and the evidence is whole. */
export async function play(asked: RoundAsked, stage: Stage, tell: (fault: Fault) => void) {
  const { seed, folder } = asked
  const traffic = await startTraffic({
    seed,
    receivers: stage.receivers,
    origins: () => stage.origins,
    admin: stage.commandLine.run,
    clockAheadMs: stage.clocks.aheadMs,
    perSecond: PER_SECOND,
    often: asked.often,
  })
  try {
    const { left, ...times } = await disturb(asked, stage, traffic, tell)
    const setting: Setting = { seed, ...times, settings, ...traffic.provisioned }
    writeFileSync(join(folder, files.setting), JSON.stringify(setting, null, 2))
    return { left, ...times }
  } finally {
    await traffic.close()
  }
}

async function disturb(asked: RoundAsked, stage: Stage, traffic: Traffic, tell: (fault: Fault) => void) {
  const beganAt = Date.now()
  await Promise.all([unleash(stage, asked.plan, asked.mostLateMs, tell), pause(asked.trafficSeconds * 1000)])
  for (const one of stage.processes.values()) await one.start()
  const healedAt = Date.now()
  await traffic.settle()
  if (asked.trafficSeconds < PATIENT_SECONDS) jump(stage, settings.intentLifetimeSeconds * 1000, tell)
  const client = await new mongoose.mongo.MongoClient(stage.servers.mongodbUrl, {
    readConcernLevel: 'majority',
  }).connect()
  try {
    const { quietAt, left } = await becomeQuiet(asked, stage, client.db(), tell)
    await traffic.audit()
    await Promise.all([...stage.processes.values()].map((one) => one.end()))
    await dump(client.db(), asked.folder)
    return { beganAt, healedAt, quietAt, left }
  } finally {
    await client.close()
  }
}

async function becomeQuiet(asked: RoundAsked, stage: Stage, db: mongo.Db, tell: (fault: Fault) => void) {
  const now = () => new Date(Date.now() + stage.clocks.aheadMs())
  const first = await awaitQuiet(db, now, WALLET_PATIENCE_SECONDS)
  if (first.quietAt !== null) return first
  if (first.left.every(isHeldForWallet)) jump(stage, HELD_MS, tell)
  return awaitQuiet(db, now, asked.quietSeconds)
}

function jump({ clocks }: Stage, ms: number, tell: (fault: Fault) => void): void {
  const began = Date.now()
  clocks.jump(ms)
  tell({ began, ended: Date.now(), what: 'clock.jump', target: `all +${ms}` })
}

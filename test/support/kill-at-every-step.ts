import mongoose from 'mongoose'
import type { Deps } from '../../src/platform/deps.ts'
import { closeInBackground } from './closing.ts'
import { deadlineMs, inFull } from './machine.ts'
import { expectIntact, type Service } from './service.ts'
import { behindMs, type Fate, openVictim, type Victim } from './victim.ts'

export interface Operation<Case> {
  prepare(): Promise<Case>
  run(victim: Victim, each: Case): Promise<unknown>
  /** The merchant's or worker's retry. Runs once more after a late write, which must change nothing. */
  repeat(each: Case): Promise<unknown>
  check(each: Case, label: string): Promise<unknown>
}

const parallelCases = 6
const usualLockSeconds = 5
const readSteps = new Set(['mongodb find', 'mongodb aggregate', 'mongodb getMore'])

/** Kills only at writes, because a process that dies at a read leaves the same as after the previous write. */
function deathsAt(steps: readonly string[]): { name: string; step: number; fate: Fate }[] {
  const writes = steps.flatMap((name, index) => (readSteps.has(name) ? [] : [{ name, step: index + 1 }]))
  return writes.flatMap((write, index) => {
    const fates: Fate[] = index % 2 === 0 ? ['late', 'unanswered'] : ['unanswered', 'late']
    if (index === 0) fates.push('lost')
    return inFull(fates.slice(1), fates.slice(0, 1)).map((fate) => ({ ...write, fate }))
  })
}

export const killAtEveryStep = <Case>(
  service: Service,
  operation: Operation<Case>,
  waitMs = 0,
): Promise<string[]> => withShortLocks(service, () => killAtEach(service, operation, waitMs))

/** On a busy machine, a shorter lifetime would end the transactions of live processes. */
const longestShortSeconds = 3

/** MongoDB keeps a killed process's locks for a transaction's lifetime. The service's user may not set parameters. */
export async function withShortLocks<T>(service: Service, act: () => Promise<T>): Promise<T> {
  const client = await mongoose.mongo.MongoClient.connect(service.deps.config.mongodbUrl)
  const setSeconds = (transactionLifetimeLimitSeconds: number) =>
    client.db('admin').command({ setParameter: 1, transactionLifetimeLimitSeconds })
  try {
    await setSeconds(Math.min(Math.ceil(deadlineMs(1000) / 1000), longestShortSeconds))
    return await act()
  } finally {
    await setSeconds(usualLockSeconds)
    await client.close()
  }
}

async function killAtEach<Case>(service: Service, operation: Operation<Case>, waitMs: number) {
  const whole = await operation.prepare()
  service.clock.advance(behindMs + waitMs)
  const survivor = await openVictim(service, { step: 0, fate: 'lost', lateMs: behindMs })
  await operation.run(survivor, whole)
  const { steps } = survivor
  closeInBackground(survivor.close())
  if (steps.every((name) => readSteps.has(name))) throw new Error('the operation writes nothing')
  await operation.repeat(whole)
  await operation.check(whole, 'not killed')
  const prepare = async (death: ReturnType<typeof deathsAt>[number]) => ({
    ...death,
    each: await operation.prepare(),
  })
  const cases = await Promise.all(deathsAt(steps).map(prepare))
  service.clock.advance(behindMs + waitMs)
  while (cases.length > 0)
    await Promise.all(
      cases.splice(0, parallelCases).map(async ({ fate, name, step, each }) => {
        const victim = await openVictim(service, { step, fate, lateMs: behindMs })
        const label = `killed at step ${step} (${name}, ${fate})`
        const running = operation.run(victim, each)
        closeInBackground(running.catch(() => undefined))
        try {
          await waitForDeath(victim, running, { step, label })
          await operation.repeat(each)
          if (fate === 'late') {
            await victim.release()
            await operation.repeat(each)
          }
          await operation.check(each, label)
        } finally {
          closeInBackground(victim.close())
        }
      }),
    )
  await expectIntact(service.deps)
  return steps
}

/** Pauses the merchant's retry at each step, and lets the dead process's write happen there. */
export const landDuringRetry = <Case>(
  service: Service,
  operation: Operation<Case>,
  effectStep: number,
): Promise<void> => withShortLocks(service, () => landAtEach(service, operation, effectStep))

async function landAtEach<Case>(service: Service, operation: Operation<Case>, effectStep: number) {
  const landAt = async (steps: number[]) => {
    const prepare = async (step: number) => ({ effectStep, step, each: await operation.prepare() })
    const cases = await Promise.all(steps.map(prepare))
    service.clock.advance(behindMs)
    const landed = await Promise.all(cases.map((each) => landAtStep(service, operation, each)))
    await expectIntact(service.deps)
    return landed
  }
  if (inFull(false, true)) {
    const [after] = await landAt([0])
    const same = after?.retry.flatMap((name, index) => (name === after.delayed ? [index + 1] : [])) ?? []
    await landAt(same.length > 0 ? same : [1])
    return
  }
  for (let first = 1, last = parallelCases; first <= last; first += parallelCases) {
    const count = Math.min(parallelCases, last - first + 1)
    const landed = await landAt(Array.from({ length: count }, (_, index) => first + index))
    last = Math.max(...landed.map(({ retry }) => firstTry(retry).length))
  }
}

function firstTry(retry: readonly string[]): readonly string[] {
  const end = retry.indexOf('mongodb abortTransaction') + 1
  return end === 0 ? retry : retry.slice(0, end)
}

/** Names the delayed write and the retry's steps. At step 0, the write lands after the retry. */
async function landAtStep<Case>(
  service: Service,
  operation: Operation<Case>,
  { effectStep, step, each }: { effectStep: number; step: number; each: Case },
): Promise<{ delayed: string; retry: string[] }> {
  const victim = await openVictim(service, { step: effectStep, fate: 'late', lateMs: behindMs })
  const running = operation.run(victim, each)
  closeInBackground(running.catch(() => undefined))
  const retry = await openVictim(service, { step, fate: 'paused', lateMs: 0 })
  const label = `its write lands before step ${step} of the retry`
  try {
    await waitForDeath(victim, running, { step: effectStep, label })
    const retried = operation.run(retry, each)
    await Promise.race([retry.died, retried])
    await victim.release()
    await retry.release()
    await retried
    await operation.repeat(each)
    await operation.check(each, `${label} (${retry.steps[step - 1]})`)
  } finally {
    closeInBackground(victim.close(), retry.close())
  }
  return { delayed: victim.steps[effectStep - 1] ?? '', retry: retry.steps }
}

export async function overtake<Result>(
  service: Service,
  step: number,
  [act, meanwhile]: [act: (deps: Deps, victim: Victim) => Promise<Result>, meanwhile: () => Promise<unknown>],
): Promise<Result> {
  const victim = await openVictim(service, { step, fate: 'paused', lateMs: 0 })
  const acting = act(victim.deps, victim)
  try {
    await waitForDeath(victim, acting, { step, label: 'overtaken' })
    await meanwhile()
    await victim.release()
    return await acting
  } finally {
    closeInBackground(victim.close())
  }
}

/** Throws if the run ends before `step`. If only that step's fate is pending then, still waits for the death. */
export async function waitForDeath(
  victim: Victim,
  running: Promise<unknown>,
  { step, label }: { step: number; label: string },
): Promise<void> {
  const alive = running.then(
    (result) => `the operation has finished: ${String(result)}`,
    (error: unknown) => String(error),
  )
  const end = await Promise.race([victim.died, alive])
  if (end === undefined) return
  if (victim.steps.length < step)
    throw new Error(`${label}: the process did not die after [${victim.steps.join(', ')}]: ${end}`)
  await victim.died
}

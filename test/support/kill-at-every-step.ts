import type { Service } from './service.ts'
import { behindMs, type Fate, fates, openVictim, type Victim } from './victim.ts'

/** An operation, the case it is tried on, and what the world does after the process that ran it was killed. */
export interface Operation<Case> {
  prepare(): Promise<Case>
  /** May never settle. */
  run(victim: Victim, each: Case): Promise<unknown>
  /** The merchant's retry, or the worker operation run again by another process. Twice changes nothing. */
  repeat(each: Case): Promise<unknown>
  check(each: Case, label: string): Promise<unknown>
}

/** Cases at once. */
const parallelCases = 6
/** A retry has about twice as many steps: who tries more at once tries some in vain. */
const parallelLandings = 4

/** What only reads has no effect that somebody could come to see: to die at it is one case, whatever becomes of it. */
const readSteps = new Set(['mongodb find', 'mongodb aggregate', 'mongodb getMore'])
const fatesOf = (step: string): readonly Fate[] => (readSteps.has(step) ? ['lost'] : fates)

/**
 * Kills a process at each step of the operation, with each fate that makes a difference there; answers the names of the steps. `waitMs` passes
 * between the preparation and the run. What takes long to close is pushed to `closings`.
 */
export async function killAtEveryStep<Case>(
  service: Service,
  operation: Operation<Case>,
  closings: Promise<unknown>[],
  waitMs: number,
): Promise<string[]> {
  const whole = await operation.prepare()
  service.clock.advance(behindMs + waitMs)
  const survivor = await openVictim(service, { step: 0, fate: 'lost', lateMs: behindMs })
  await operation.run(survivor, whole)
  const { steps } = survivor
  closings.push(survivor.close())
  if (steps.length === 0) throw new Error('there is no step to be killed at')
  await operation.repeat(whole)
  await operation.check(whole, 'not killed')
  const cases = await Promise.all(
    steps.flatMap((name, index) =>
      fatesOf(name).map(async (fate) => ({ fate, name, step: index + 1, each: await operation.prepare() })),
    ),
  )
  service.clock.advance(behindMs + waitMs)
  while (cases.length > 0)
    await Promise.all(
      cases.splice(0, parallelCases).map(async ({ fate, name, step, each }) => {
        const victim = await openVictim(service, { step, fate, lateMs: behindMs })
        const label = `killed at step ${step} (${name}, ${fate})`
        const running = operation.run(victim, each)
        await waitForDeath(victim, running, { step, label })
        await operation.repeat(each)
        await victim.release()
        await operation.repeat(each)
        await operation.check(each, label)
        closings.push(
          victim.close(),
          running.catch(() => undefined),
        )
      }),
    )
  return steps
}

/**
 * Kills a process at the write that is the effect, pauses the merchant's retry at each of its own steps in turn, lets the
 * dead process's write land just then, and lets the retry go on.
 */
export async function landDuringRetry<Case>(
  service: Service,
  operation: Operation<Case>,
  closings: Promise<unknown>[],
  effectStep: number,
): Promise<void> {
  for (let first = 1, reached = true; reached; first += parallelLandings) {
    const cases = await Promise.all(
      Array.from({ length: parallelLandings }, async (_, index) => ({
        step: first + index,
        each: await operation.prepare(),
      })),
    )
    service.clock.advance(behindMs)
    const landed = await Promise.all(
      cases.map(({ step, each }) => landAtStep(service, operation, closings, { effectStep, step, each })),
    )
    reached = landed.every(Boolean)
  }
}

/** Answers whether the retry came to that step at all. */
async function landAtStep<Case>(
  service: Service,
  operation: Operation<Case>,
  closings: Promise<unknown>[],
  { effectStep, step, each }: { effectStep: number; step: number; each: Case },
): Promise<boolean> {
  const victim = await openVictim(service, { step: effectStep, fate: 'late', lateMs: behindMs })
  const running = operation.run(victim, each)
  closings.push(running.catch(() => undefined))
  const label = `its write lands before step ${step} of the retry`
  await waitForDeath(victim, running, { step: effectStep, label })
  const retry = await openVictim(service, { step, fate: 'paused', lateMs: 0 })
  const retried = operation.run(retry, each)
  const reached = await Promise.race([retry.died.then(() => true), retried.then(() => false)])
  await victim.release()
  await retry.release()
  await retried
  await operation.repeat(each)
  await operation.check(each, `its write landed before step ${step} of the retry (${retry.steps[step - 1]})`)
  closings.push(victim.close(), retry.close())
  return reached
}

/**
 * Resolves when the victim has died at `step`. One whose run ends before it comes to that step is told, not waited for. A run may end
 * between the moment its last step sets out and the moment it is done, which is when the victim dies of it: that one is waited for.
 */
export async function waitForDeath(
  victim: Victim,
  running: Promise<unknown>,
  { step, label }: { step: number; label: string },
): Promise<void> {
  const alive = running.then(
    () => 'it came to its end',
    (error: unknown) => String(error),
  )
  const end = await Promise.race([victim.died, alive])
  if (end === undefined) return
  if (victim.steps.length < step) throw new Error(`${label}: the process did not die, ${end}`)
  await victim.died
}

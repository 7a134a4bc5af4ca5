import type { Deps } from '../../src/deps.ts'
import type { Service } from './service.ts'
import { behindMs, type Fate, fates, openVictim, type Victim } from './victim.ts'

/** An operation and what happens after the process that runs it is killed. Each kill has a case of its own. */
export interface Operation<Case> {
  prepare(): Promise<Case>
  /** May never settle. */
  run(victim: Victim, each: Case): Promise<unknown>
  /** The merchant's retry, or the same worker operation in another process. Runs twice, which must change nothing. */
  repeat(each: Case): Promise<unknown>
  check(each: Case, label: string): Promise<unknown>
}

/** How many cases run concurrently. */
const parallelCases = 6
/** Fewer at a time, because cases beyond the last step of the retry are wasted. */
const parallelLandings = 4

/** Reads have no effects, so every fate gives the same result. */
const readSteps = new Set(['mongodb find', 'mongodb aggregate', 'mongodb getMore'])
const fatesOf = (step: string): readonly Fate[] => (readSteps.has(step) ? ['lost'] : fates)

/**
 * Kills a process at each step of the operation, with each fate. Returns the names of the steps. `waitMs` passes
 * between `prepare` and `run`. Processes that take long to close are pushed to `closings`.
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
  if (steps.length === 0) throw new Error('the operation has no steps')
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
 * Kills a process at the write of its effect. For each step of the merchant's retry, pauses the retry there, lets the
 * dead process's write happen, and then lets the retry continue.
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

/** Returns whether the retry has that step. */
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

/** Runs `act` in another process, and `meanwhile` just before that process makes its step `step`. */
export async function overtake<Result>(
  service: Service,
  step: number,
  closings: Promise<unknown>[],
  [act, meanwhile]: [act: (deps: Deps) => Promise<Result>, meanwhile: () => Promise<unknown>],
): Promise<Result> {
  const victim = await openVictim(service, { step, fate: 'paused', lateMs: 0 })
  const acting = act(victim.deps)
  await waitForDeath(victim, acting, { step, label: 'overtaken' })
  await meanwhile()
  await victim.release()
  return acting.finally(() => closings.push(victim.close()))
}

/**
 * Resolves when the victim has died at `step`. Throws if the run ends before that step. If the run ends while its last
 * step has not met its fate yet, still waits for the death.
 */
export async function waitForDeath(
  victim: Victim,
  running: Promise<unknown>,
  { step, label }: { step: number; label: string },
): Promise<void> {
  const alive = running.then(
    () => 'the operation has finished',
    (error: unknown) => String(error),
  )
  const end = await Promise.race([victim.died, alive])
  if (end === undefined) return
  if (victim.steps.length < step) throw new Error(`${label}: the process did not die, ${end}`)
  await victim.died
}

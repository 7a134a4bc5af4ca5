import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { Refusal, unavailable } from '../../errors.ts'
import type { Effect } from '../../idempotency/effect.ts'
import { withinSandboxDay } from '../../quotas/sandbox-day.ts'
import { openShop, requireShop } from '../shops/open-shop.ts'
import type { ImportRequest } from './file/parse-import.ts'
import type { ProductRow } from './file/row.ts'
import { commit } from './plan/commit.ts'
import { type Comparison, compare } from './plan/compare.ts'
import { finish } from './plan/finish.ts'
import type { FoundPlan, ImportCounts } from './plan/plan.ts'
import { prepare } from './plan/prepare.ts'
import { refuseLate } from './plan/refuse-late.ts'
import { reserveShop } from './plan/reserve-shop.ts'
import { rollBack } from './plan/roll-back.ts'
import { undoLatePreparations } from './plan/undo-preparation.ts'

/** How often another may be quicker with one of the file's handles, SKUs or products, and the file be compared anew. */
const maxAttempts = 3

type ImportDeps = Pick<Deps, 'Shop' | 'Product' | 'ImportPlan' | 'quotas' | 'config' | 'now'>

/**
 * Imports a file's rows, all or nothing, one import of a shop at a time. VALIDATION_ERROR with every fault by its row, SHOP_NOT_FOUND,
 * SERVICE_UNAVAILABLE if other imports of the shop take too long, RATE_LIMITED if its new products exceed the sandbox's quota of the day. A
 * dry run writes nothing.
 */
export function importProducts(
  deps: ImportDeps,
  caller: Caller,
  { rows, isDryRun }: ImportRequest,
  effect: Effect,
): Promise<ImportCounts | Preview> {
  const act = isDryRun ? preview : importRows
  return act(deps, caller, rows, effect)
}

async function preview(
  deps: ImportDeps,
  caller: Caller,
  rows: readonly ProductRow[],
  { deadlineAt }: Effect,
): Promise<Preview> {
  await requireShop(deps, caller)
  const { businessId, sandbox } = caller
  return previewOf(await compare(deps, { businessId, sandbox, deadlineAt }, rows))
}

async function importRows(
  deps: ImportDeps,
  caller: Caller,
  rows: readonly ProductRow[],
  effect: Effect,
): Promise<ImportCounts> {
  await openShop(deps, caller)
  for (let tries = 0; tries < maxAttempts; tries += 1) {
    const plan = await reserveShop(deps, caller, effect)
    if (plan.state === 'done') return plan.counts
    const counts = await runImport(deps, caller, plan, rows, effect)
    if (counts !== null) return counts
  }
  throw unavailable()
}

/** Null when somebody was quicker with a handle, a SKU or a product: the place is free again, and nothing happened. */
async function runImport(
  deps: ImportDeps,
  caller: Caller,
  plan: FoundPlan,
  rows: readonly ProductRow[],
  effect: Effect,
): Promise<ImportCounts | null> {
  const { businessId, sandbox } = plan
  const scope = { businessId, sandbox, deadlineAt: effect.deadlineAt }
  try {
    await undoLatePreparations(deps, scope)
    const comparison = await compare(deps, scope, rows)
    const counts = await withinSandboxDay(deps, caller, comparison.created.length, async () =>
      (await prepare(deps, plan, comparison)) ? carryOut(deps, plan, comparison, effect) : null,
    )
    if (counts !== null) return counts
  } catch (error) {
    // Any other fault leaves open what was written: whoever finds the plan decides.
    if (error instanceof Refusal) await rollBack(deps, plan)
    throw error
  }
  await rollBack(deps, plan)
  return null
}

async function carryOut(
  deps: ImportDeps,
  plan: FoundPlan,
  comparison: Comparison,
  effect: Effect,
): Promise<ImportCounts> {
  refuseLate(effect.deadlineAt)
  const committed = await commit(deps, plan, comparison)
  if (committed === null) throw unavailable()
  await finish(deps, committed)
  return committed.counts
}

/** What a dry run tells: what the import would count, and the first handles of each kind. */
type Preview = ImportCounts & { dryRun: true; handles: Comparison['handles'] }

/** As many as faults are told: the answer is kept for a day, and the counts tell how many there are. */
const mostTold = 100

function previewOf({ counts, handles }: Comparison): Preview {
  const { created, updated, unchanged } = handles
  const told = {
    created: created.slice(0, mostTold),
    updated: updated.slice(0, mostTold),
    unchanged: unchanged.slice(0, mostTold),
  }
  return { ...counts, dryRun: true, handles: told }
}

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

/**
 * The maximum number of attempts at an import. An attempt fails if another request takes a handle or SKU that the file
 * contains, or changes a product that the file describes.
 */
const maxAttempts = 3

type ImportDeps = Pick<Deps, 'Shop' | 'AuditEvent' | 'Product' | 'ImportPlan' | 'quotas' | 'config' | 'now'>

/**
 * Imports either all rows of a file or none of them. A shop runs only one import at a time. Throws VALIDATION_ERROR
 * with the file's faults if the file has any, and SHOP_NOT_FOUND if the caller has no shop. Throws SERVICE_UNAVAILABLE
 * if other imports of the shop take too long, or if other requests keep changing the shop's products. Throws
 * RATE_LIMITED if the new products exceed the sandbox's daily quota. A dry run writes nothing.
 */
export function importProducts(
  deps: ImportDeps,
  caller: Caller,
  { rows, isDryRun }: ImportRequest,
  effect: Effect,
): Promise<ImportCounts | Preview> {
  const run = isDryRun ? preview : importRows
  return run(deps, caller, rows, effect)
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
  for (let attempts = 0; attempts < maxAttempts; attempts += 1) {
    const plan = await reserveShop(deps, caller, effect)
    if (plan.state === 'done') return plan.counts
    const counts = await runImport(deps, caller, plan, rows, effect)
    if (counts !== null) return counts
  }
  throw unavailable()
}

/**
 * Runs one attempt. Returns null if another request has taken a handle or SKU from the file, or has changed a product
 * that the file describes. In that case, the attempt has changed nothing, and its plan has been removed.
 */
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
    // After any error other than a `Refusal`, it is unknown what has been written. In that case, the shop's next import
    // or a sweep ends the plan.
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

/**
 * The result of a dry run. It contains the counts of the import, and the handles of the first products that the import
 * would create, update or leave unchanged.
 */
type Preview = ImportCounts & { dryRun: true; handles: Comparison['handles'] }

/**
 * The maximum number of handles in each list. The lists are limited because the response is stored for a day. The
 * counts include the products whose handles are not listed.
 */
const maxListed = 100

function previewOf({ counts, handles }: Comparison): Preview {
  const { created, updated, unchanged } = handles
  const listed = {
    created: created.slice(0, maxListed),
    updated: updated.slice(0, maxListed),
    unchanged: unchanged.slice(0, maxListed),
  }
  return { ...counts, dryRun: true, handles: listed }
}

import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { Refusal, unavailable } from '../../errors.ts'
import type { Effect } from '../../idempotency/effect.ts'
import { openShop, requireShop } from '../shops/open-shop.ts'
import { commit } from './commit.ts'
import { type Comparison, compare } from './compare.ts'
import { finish } from './finish.ts'
import type { AskedImport } from './parse-import.ts'
import type { ImportCounts, ImportPlan } from './plan.ts'
import { prepare } from './prepare.ts'
import { readCleared, readStanding } from './read-standing.ts'
import { rollBack } from './roll-back.ts'
import type { ProductRow } from './row.ts'
import { takePlace } from './take-place.ts'

/** How often another may be quicker with one of the file's handles or SKUs, and the file be compared anew. */
const mostTries = 3

type ImportDeps = Pick<Deps, 'Shop' | 'Product' | 'ImportPlan' | 'now'>

/** What a dry run would do. */
type Preview = ImportCounts & { dryRun: true; handles: Comparison['handles'] }

/**
 * Imports a file's rows, all or nothing, one import of a shop at a time. VALIDATION_ERROR with every fault by its row, SHOP_NOT_FOUND,
 * SERVICE_UNAVAILABLE when others' imports take too long. A dry run writes nothing and waits for nobody.
 */
export async function importProducts(
  deps: ImportDeps,
  caller: Caller,
  { rows, isDryRun }: AskedImport,
  effect: Effect,
): Promise<ImportCounts | Preview> {
  if (isDryRun) return preview(deps, caller, rows)
  await openShop(deps, caller)
  for (let tries = 0; tries < mostTries; tries += 1) {
    const plan = await takePlace(deps, caller, effect)
    if (plan.state === 'done') return plan.counts
    const counts = await importInPlace(deps, plan, rows)
    if (counts !== null) return counts
  }
  throw unavailable()
}

async function preview(deps: ImportDeps, caller: Caller, rows: readonly ProductRow[]): Promise<Preview> {
  await requireShop(deps, caller)
  const { counts, handles } = compare(rows, await readStanding(deps, caller, rows))
  return { ...counts, dryRun: true, handles }
}

/** Null when somebody was quicker with a handle or a SKU: the place is free again, and nothing happened. */
async function importInPlace(
  deps: ImportDeps,
  plan: ImportPlan,
  rows: readonly ProductRow[],
): Promise<ImportCounts | null> {
  try {
    const comparison = compare(rows, await readCleared(deps, plan, rows))
    if (await prepare(deps, plan, comparison)) return await carryOut(deps, plan, comparison)
  } catch (error) {
    // Any other fault leaves open what was written: whoever finds the plan decides.
    if (!(error instanceof Refusal) || error.statusCode >= 500) throw error
    await rollBack(deps, plan)
    throw error
  }
  await rollBack(deps, plan)
  return null
}

async function carryOut(deps: ImportDeps, plan: ImportPlan, comparison: Comparison): Promise<ImportCounts> {
  const committed = await commit(deps, plan, comparison)
  if (committed === null) throw unavailable()
  await finish(deps, committed)
  return committed.counts
}

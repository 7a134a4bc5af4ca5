import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { createShop } from './create-shop.ts'

/** Only the merchant's developers see this name. */
const sandboxName = 'Sandbox'

/**
 * Used by operations that only read. Throws SHOP_NOT_FOUND for a live key whose business has no shop, but never for a
 * test key.
 */
export async function requireShop(deps: Pick<Deps, 'Shop'>, caller: Caller): Promise<void> {
  if (!caller.sandbox && !(await hasShop(deps, caller))) throw refuse('SHOP_NOT_FOUND')
}

/**
 * Like `requireShop`, but for operations that create something. The first such operation of a test key creates the
 * sandbox's shop (SPEC 8).
 */
export async function openShop(deps: Pick<Deps, 'Shop' | 'now'>, caller: Caller): Promise<void> {
  if (await hasShop(deps, caller)) return
  const { businessId, sandbox } = caller
  if (!sandbox) throw refuse('SHOP_NOT_FOUND')
  await createShop(deps, { businessId, sandbox, name: sandboxName })
}

const hasShop = async (
  deps: Pick<Deps, 'Shop'>,
  { businessId, sandbox }: Pick<Caller, 'businessId' | 'sandbox'>,
): Promise<boolean> => (await deps.Shop.exists({ businessId, sandbox })) !== null

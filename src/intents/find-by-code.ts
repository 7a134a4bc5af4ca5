import type { Deps } from '../deps.ts'
import { codeKeyOf, isCodeActive } from './code.ts'
import type { Intent } from './intent.ts'
import { asOf, expiryFields } from './present.ts'

const neededFields = { shortCode: 1, codeExpiresAt: 1, ...expiryFields }

/**
 * Finds the intent with this payment code. `sandboxOf` is the id of the business whose test intents are searched, or
 * null to search the live intents of all businesses. Returns null if the code is unknown or no longer active, for
 * example because the intent has been paid or has expired.
 */
export async function findByCode(
  deps: Pick<Deps, 'Intent' | 'now'>,
  sandboxOf: string | null,
  code: string,
): Promise<Pick<Intent, 'shortCode'> | null> {
  const codeKey = codeKeyOf({ businessId: sandboxOf ?? '', sandbox: sandboxOf !== null }, code)
  const intent = await deps.Intent.findOne({ codeKey }, neededFields).lean<Intent | null>()
  if (intent === null) return null
  const now = deps.now()
  return isCodeActive(asOf(intent, now), now) ? intent : null
}

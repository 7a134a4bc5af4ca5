import type { Deps } from '../deps.ts'
import { type ApiKey, looksLikeKey } from './api-key.ts'
import { inDetail, type KeyInDetail, type SecretFacts, stateOf } from './key-facts.ts'

/** The key to which a secret belongs. `matched` is the state of that secret, which may be an earlier one. */
export interface RecognisedKey extends KeyInDetail {
  matched: SecretFacts['state']
}

/** Sentences that explain why a key in clear text was not found. They do not contain the key. */
export const whyNoKey = {
  mistyped: 'The key is mistyped or incomplete: its checksum is wrong. No such key was ever issued.',
  unknown:
    'The key is well formed but unknown: it belongs to another installation, its secret ended long ago, or it was ' +
    'last used with a SECRET_KEY that is not configured.',
}

/**
 * Finds the key to which a whole key in clear text belongs, including keys that no longer work and earlier secrets
 * (rotate-key.ts). Returns `mistyped` if the checksum is wrong, and null if the key is unknown. A key is also unknown
 * if it was hashed with a SECRET_KEY that is no longer configured.
 */
export async function recogniseKey(
  deps: Pick<Deps, 'ApiKey' | 'Business' | 'secrets' | 'now'>,
  text: string,
): Promise<RecognisedKey | 'mistyped' | null> {
  if (!looksLikeKey(text)) return 'mistyped'
  const hashes = deps.secrets.hashes(text)
  const key = await deps.ApiKey.findOne({ 'secrets.hash': { $in: hashes } }).lean<ApiKey | null>()
  const secret = key?.secrets.find(({ hash }) => hashes.includes(hash))
  if (key === null || secret === undefined) return null
  const matched = stateOf(secret.validUntil, deps.now())
  const { blockedBy, ...facts } = await inDetail(deps, key)
  return { ...facts, matched, blockedBy: matched === 'ended' ? ['secret-ended', ...blockedBy] : blockedBy }
}

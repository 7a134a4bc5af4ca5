import { html } from 'ghtml'
import type { Deps } from '../../deps.ts'

/**
 * Returns a notice if a payment or order is test data that the clean-up (src/retention) may already have partly
 * deleted. Otherwise, returns null.
 */
export function cleanedAway(
  { config, now }: Pick<Deps, 'config' | 'now'>,
  { sandbox, createdAt }: { sandbox: boolean; createdAt: Date },
): string | null {
  const isOld = now().getTime() - createdAt.getTime() > config.sandboxRetentionMs
  if (!sandbox || !isOld) return null
  return html`<p class="notice">This test data is older than the retention period. The clean-up deletes it, webhooks first.</p>`
}

import { faults } from '../webhooks/sender/faults.ts'
import type { createCounted } from './counted.ts'

/**
 * The log lines that trigger alerts: all lines at level `error`, and the lines at level `warn` that require an
 * operator's attention.
 */
export const watchedLines = {
  error: [
    'process.crashed',
    'process.stop-failed',
    'request.failed',
    'response.unreadable',
    'shortcodes.key-unreadable',
    'payment.astray',
    'refund.astray',
    'wallet.exception',
    'webhook.source-missing',
    'ledger.full',
    'ledger.tampered',
    'ledger.not-verified',
    'audit.tampered',
    'audit.not-checked',
  ],
  warn: ['web.full', 'network.closed', 'webhook.interrupted'],
} as const

/**
 * Initialises to 0 the counters that alerts watch. Prometheus detects no increase in a counter that first appears with
 * the value 1, so the first event in a process would not trigger an alert.
 */
export function beginAtZero({
  logLines,
  lookups,
  attempts,
}: Pick<ReturnType<typeof createCounted>, 'logLines' | 'lookups' | 'attempts'>): void {
  for (const [level, lines] of Object.entries(watchedLines)) for (const line of lines) logLines.inc({ level, line }, 0)
  for (const kind of ['link', 'code', 'test-code'])
    for (const outcome of ['found', 'missed', 'closed']) lookups.inc({ kind, outcome }, 0)
  const failing = [...new Set(['status', ...Object.values(faults).map(({ stage }) => stage)])]
  for (const environment of ['live', 'test'])
    for (const outcome of ['delivered', 'retrying', 'dead', 'lease-lost'])
      for (const stage of stagesOf(outcome, failing)) attempts.inc({ outcome, stage, environment }, 0)
}

/** Returns the `stage` labels that an outcome can have. Only failed attempts have a stage. */
const stagesOf = (outcome: string, failing: readonly string[]): readonly string[] =>
  outcome === 'delivered' || outcome === 'lease-lost' ? ['none'] : failing

import type { Check } from '../round.ts'

/**
 * The ledger of each business and environment is a chain without gaps, whose days are closed for ever. To the centime,
 * its entries are the payments, refunds and fees of the intents, each once, and the payouts.
 */
export const ledgerExact: Check = ({ broken }) => broken('ledger chain', 'ledger entries')

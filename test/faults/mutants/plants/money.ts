import { killedAt, type Mutant, pausedAt, plain } from '../mutant.ts'

export const moneyMutants: readonly Mutant[] = [
  {
    name: 'refund-unguarded',
    says: 'What was refunded before is checked when a refund is judged, and no more when it is written: two at once exceed what was paid.',
    edits: [
      { file: 'src/intents/refunds/hold.ts', find: '      refundsCommitted: committed,\n', put: '' },
      // The wallet would refuse what is too much, and the service believes it.
      { file: 'src/wallets/sandbox/finish.ts', find: 'committed <= moved(paid)', put: 'committed > 0' },
    ],
    caughtBy: ['refund.bounded'],
    focus: { ...pausedAt('refund.before-set-aside'), often: ['refundIntent'] },
    isOneMore: true,
  },
  {
    name: 'refund-again',
    says: 'A retry of a refund does not look for the refund that it began, and begins another.',
    edits: [
      {
        file: 'src/intents/refunds/refund.ts',
        find: 'if (wasBegun(intent, effect.id))',
        put: 'if (wasBegun(intent, ""))',
      },
      {
        file: 'src/intents/refunds/hold.ts',
        find: '      effects: { $ne: refund.effectId },\n',
        put: '',
      },
    ],
    caughtBy: ['key.once'],
    focus: {
      ...killedAt('refund.settled', 'refund.set-aside', 'write.before-answer-kept'),
      often: ['refundIntent'],
    },
  },
  {
    name: 'last-centime-kept',
    says: 'A refund of all that is left is refused.',
    edits: [
      {
        file: 'src/intents/refunds/check.ts',
        find: 'if (amount > refundable)',
        put: 'if (amount >= refundable)',
      },
    ],
    caughtBy: ['refusal.due'],
    focus: { ...plain, often: ['simulatePayment', 'refundIntent'] },
    isOneMore: true,
  },
  {
    name: 'outcome-forgotten',
    says: 'Nobody asks the wallet what became of a payment whose process died.',
    edits: [
      {
        file: 'src/intents/query-due-wallets.ts',
        find: "const payments = await askBy(deps, 'hold.askAt', 'paymentToAsk', '$hold.askAt')",
        put: 'const payments = 0',
      },
    ],
    caughtBy: ['quiet.reached'],
    focus: { ...killedAt('pay.under-way', 'pay.wallet-answered', 'wallet.decided'), often: ['payByLink'] },
    isOneMore: true,
  },
  {
    name: 'money-kept',
    says: 'What a refund brings back to a wallet is one centime short.',
    edits: [
      {
        file: 'src/wallets/sandbox/finish.ts',
        find: "(kind === 'refund' ? amount : -amount)",
        put: "(kind === 'refund' ? amount - 1 : -amount)",
      },
    ],
    caughtBy: ['wallet.balances'],
    focus: { ...plain, often: ['payByLink', 'refundIntent'] },
  },
  {
    name: 'commission-rounded-down',
    says: 'A fee is rounded down, however close it is to the next centime.',
    edits: [{ file: 'src/wallets/commission.ts', find: '+ 5000n)', put: '+ 0n)' }],
    caughtBy: ['commission.exact'],
    focus: { ...plain, often: ['payByLink', 'simulatePayment'] },
    isOneMore: true,
  },
]

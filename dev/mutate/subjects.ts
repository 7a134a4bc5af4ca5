import { readFileSync } from 'node:fs'
import { parseSync } from 'oxc-parser'

/** Code of which `npm run mutate` mutates these top-level declarations, or all, and the test that must notice. */
interface Subject {
  file: string
  names?: string
  test: string
}

export const subjects: Record<string, Subject> = {
  commission: { file: 'src/wallets/commission.ts', names: 'commissionOf portion larger', test: 'commission' },
  'fee portions': {
    file: 'src/intents/refunds/begin-and-settle.ts',
    names: 'feePortionsOf both byPath refundIncrements refundDecrements',
    test: 'fee-portions',
  },
  'ledger positions': {
    file: 'src/ledger/entry.ts',
    names:
      'dayBefore createZeroTotals pickDayTotals linkLedgerEntry linkClosingMarker bookingTime emptyState stateAfter',
    test: 'ledger-entries',
  },
  statements: {
    file: 'src/ledger/statement.ts',
    names:
      'getLedgerBalance readStatement readMonthStatements readDayStatements dayBeforeLast isCovered closedDay openDay firstDay parseStatementDay parseStatementMonth daysOf monthOf notInRange plainColumns amountColumns header formatStatementsCsv',
    test: 'statements',
  },
  verdict: {
    file: 'src/webhooks/attempts/attempt.ts',
    names: 'times judgeAttempt retryTableStep',
    test: 'retry-wait',
  },
  'retry wait': {
    file: 'src/webhooks/deliveries/delivery.ts',
    names:
      'makeDeliveryId eventIdOf endpointIdOf isDeliveryId failureText newDeliveryJob jobIdOf deliveryIdOf parseJobId',
    test: 'retry-wait',
  },
  'health change': {
    file: 'src/webhooks/attempts/record-health.ts',
    names: 'isSuccess healthUpdate failuresInRow ended hourChanges',
    test: 'health-change',
  },
  "provider's response": {
    file: 'src/wallets/live/live-wallet.ts',
    names: 'ownStatus usualStatus readWalletResponse parse defaultFailure refusals toWalletOutcome',
    test: 'provider-response',
  },
  lifecycle: { file: 'src/intents/lifecycle.ts', test: 'lifecycle' },
  sign: {
    file: 'src/webhooks/message.ts',
    names:
      'signature standardSignature timestampOf unsignedHeaders signedHeaders decrypted headersForEndpoint',
    test: 'sign',
  },
}

/** In Stryker's notation, e.g. `src/wallets/commission.ts:30-50`. Throws if a declaration doesn't exist. */
export function rangesOf({ file, names }: Subject): string[] {
  if (names === undefined) return [file]
  const source = readFileSync(file, 'utf8')
  const lineAt = (offset: number): number => source.slice(0, offset).split('\n').length
  const declarations = parseSync(file, source).program.body.flatMap((statement) => {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (declared?.type === 'FunctionDeclaration') return [{ name: declared.id?.name, ...spanOf(declared) }]
    if (declared?.type !== 'VariableDeclaration') return []
    const [variable] = declared.declarations
    return variable?.id.type === 'Identifier' ? [{ name: variable.id.name, ...spanOf(declared) }] : []
  })
  return names.split(' ').map((name) => {
    const found = declarations.find((each) => each.name === name)
    if (found === undefined) throw new Error(`${file} declares no ${name}`)
    return `${file}:${lineAt(found.start)}-${lineAt(found.end)}`
  })
}

const spanOf = ({ start, end }: { start: number; end: number }) => ({ start, end })

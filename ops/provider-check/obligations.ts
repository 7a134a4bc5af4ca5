import { Broken, NotTested, rules } from './broken.ts'
import { orderObligations } from './orders.ts'
import { outcomeObligations } from './outcomes.ts'
import { refundObligations } from './refunds.ts'
import type { Provider } from './requests.ts'
import { restartObligations } from './restart.ts'
import { createRun, type Hooks, type Obligation } from './run.ts'
import type { Scenario } from './scenario.ts'
import { signatureObligations } from './signatures.ts'
import { timeObligations } from './time.ts'

const untested = (id: string, title: string, rule: string, why: string): Obligation => ({
  id,
  title,
  rule,
  run: () => Promise.reject(new NotTested(why)),
})

const maxResponseBytes = 16 * 1024

export const obligations: Obligation[] = [
  ...signatureObligations,
  ...orderObligations,
  ...timeObligations,
  ...outcomeObligations,
  ...refundObligations,
  ...restartObligations,
  {
    id: 'responses',
    title: 'Each response has at most 16 KiB, and arrives within the timeout',
    rule: rules.size,
    async run({ replies, scenario }) {
      const large = replies.find(({ body }) => Buffer.byteLength(body) > maxResponseBytes)
      if (large !== undefined)
        throw new Broken('The response is too large', { ...large, body: '(too large)' })
      const slowest = Math.max(...replies.filter(({ fault }) => fault === null).map(({ tookMs }) => tookMs))
      return `the slowest took ${Math.ceil(slowest)} ms of ${scenario.timeoutSeconds} s`
    },
  },
  {
    id: 'final',
    title: 'At the end, all outcomes are still the same, and so is the money',
    rule: rules.final,
    run: (run) => run.expectAllSame(),
  },
  untested(
    'remembered-keys',
    'Each key is remembered for 30 days',
    rules.remember,
    'the kit does not run that long',
  ),
  untested(
    'pin-secrecy',
    'No PIN is stored or logged',
    rules.pinSecrecy,
    'the kit does not see files and logs',
  ),
  untested(
    'constant-time',
    'Signatures are compared in constant time',
    rules.constantTime,
    'a network hides the difference',
  ),
  untested(
    'two-keys',
    'While the key changes, both keys are accepted',
    rules.twoKeys,
    'the kit knows one key',
  ),
]

export interface Finding {
  id: string
  title: string
  rule: string
  result: 'holds' | 'broken' | 'not tested'
  /** Null if there is nothing to say. */
  why: string | null
  sent: string | null
  came: string | null
}

/** Tests the obligations one after the other. A broken one does not end the check. */
export async function* checkProvider(
  provider: Provider,
  scenario: Scenario,
  hooks: Hooks,
  only: readonly string[] = [],
): AsyncGenerator<Finding> {
  const run = createRun(provider, scenario, hooks)
  const reachable = await run.query(run.payment('succeeded'))
  if (reachable.status === null) throw new Error(`${provider.url} does not respond: ${reachable.fault}`)
  for (const obligation of obligations) {
    const { id, title, rule, forRefunds = false } = obligation
    if (only.length > 0 && !only.includes(id)) continue
    const finding = { id, title, rule, why: null, sent: null, came: null }
    try {
      if (forRefunds && !scenario.refunds) throw new NotTested('the scenario says `"refunds": false`')
      const remark = await run.withBalances(() => obligation.run(run))
      yield { ...finding, result: 'holds', why: remark ?? null }
    } catch (error) {
      if (error instanceof NotTested) yield { ...finding, result: 'not tested', why: error.message }
      else if (error instanceof Broken)
        yield {
          ...finding,
          rule: error.rule ?? rule,
          result: 'broken',
          why: error.message,
          ...quote(error),
        }
      else throw error
    }
  }
}

const maxQuotedLength = 500

function quote({ reply }: Broken): Pick<Finding, 'sent' | 'came'> {
  if (reply === null) return { sent: null, came: null }
  const { sent, status, body, fault } = reply
  const came = (fault ?? `${status} ${body}`).slice(0, maxQuotedLength)
  return { sent: sent.slice(0, maxQuotedLength), came }
}

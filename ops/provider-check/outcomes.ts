import { setTimeout as pause } from 'node:timers/promises'
import { declineReasons, failureReasons } from '../../schemas/payment-reasons.ts'
import { Broken, NotTested, rules } from './broken.ts'
import { type Obligation, type Order, type Run, shown } from './run.ts'
import type { PaymentName } from './scenario.ts'

type Expected = [name: PaymentName, status: 'declined' | 'failed' | 'refused']

const expected: Expected[] = [
  ...declineReasons.map((name): Expected => [name, 'declined']),
  ...failureReasons.map((name): Expected => [name, 'failed']),
  ['wallet_locked', 'refused'],
]

export const outcomeObligations: Obligation[] = [
  ...expected.map(
    ([name, status]): Obligation => ({
      id: name.replaceAll('_', '-'),
      title: `\`${status}\` with the reason \`${name}\`, and no money moves`,
      rule: rules[status],
      async run(run) {
        const order = run.payment(name)
        await run.finish(order, `${status} (${name})`)
        await run.submit(order)
        await run.look(order)
        if (name === 'insufficient_funds') return remarkOnBalance(run, order)
      },
    }),
  ),
  {
    id: 'wrong-pin',
    title: 'A wrong PIN and a wallet that does not exist get the same response',
    rule: rules.refused,
    async run(run) {
      const wrong = await run.wrongPin()
      const unknown = run.payment('unknown_wallet')
      await run.finish(unknown, 'refused (wrong_pin)')
      const [one, other] = [wrong, unknown].map(formOf)
      if (one !== other)
        throw new Broken(`The responses differ: ${one} for a wrong PIN`, unknown.final?.reply ?? null)
    },
  },
  {
    id: 'pin-limit',
    title: 'Wrong PINs are limited: the wallet is locked, even for the right PIN',
    rule: rules.pins,
    run: lockWallet,
  },
  pendingObligation('pending_then_succeeded', ['succeeded']),
  pendingObligation('pending_then_failed', ['declined', 'failed', 'refused']),
  {
    id: 'slow',
    title: 'A payment slower than the timeout is carried out at most once, and its outcome becomes final',
    rule: rules.once,
    run: paySlowly,
  },
]

/** Only a wallet that can't pay the fee shows whether a provider takes the amount alone. */
async function remarkOnBalance(run: Run, { phone, amount, fee }: Order): Promise<string | undefined> {
  const balance = fee === 0 ? null : await run.readBalance?.(phone)
  if (balance === undefined || balance === null || (balance >= amount && balance < amount + fee)) return
  return `not with a partial debit: the wallet holds ${balance} centimes instead of ${amount} to ${amount + fee - 1}`
}

/** The fields of a response, and the values that a customer could tell apart. */
function formOf({ final }: Order): string {
  const { status = null, body = '' } = final?.reply ?? {}
  const fields = Object.keys(JSON.parse(body)).toSorted().join(', ')
  return `${status} {${fields}}`
}

const mostWrongPins = 20

async function lockWallet(run: Run): Promise<string | undefined> {
  const { pin } = run.walletFor('lockable')
  for (let count = 1; count <= mostWrongPins; count += 1) {
    const wrong = String((Number(pin) + count) % 10 ** pin.length).padStart(pin.length, '0')
    const order = run.payment('lockable', { pin: wrong })
    await run.finish(order, 'refused')
    if (order.final?.reason !== 'wallet_locked') continue
    await run.finish(run.payment('lockable'), 'refused (wallet_locked)')
    return count === 1 ? 'the wallet was locked before' : `locked at wrong PIN ${count}`
  }
  throw new Broken(`${mostWrongPins} wrong PINs for one wallet were all checked`)
}

function pendingObligation(name: PaymentName, finals: string[]): Obligation {
  return {
    id: name.replaceAll('_', '-'),
    title: `\`pending\` becomes \`${finals.join('` or `')}\`, and never changes again`,
    rule: rules.final,
    async run(run) {
      const order = run.payment(name)
      const first = await run.submit(order)
      if (first.status !== 'pending') {
        if (!finals.includes(first.status))
          throw new Broken(`\`${shown(first)}\` at once`, first.reply, rules.wallets)
        throw new NotTested(`this payment was \`${first.status}\` at once`)
      }
      await run.submit(order)
      const { status, reply } = await run.settled(order)
      if (!finals.includes(status)) throw new Broken(`It became \`${status}\``, reply, rules.wallets)
      await run.look(order)
      await run.submit(order)
      await run.look(order)
    },
  }
}

/** How long a provider may take to store a request (wallet-provider.md). */
const storedWithinMs = 30_000
const dropped = 'not carried out, because it took over 30 s'

async function paySlowly(run: Run): Promise<string> {
  const order = run.payment('slow')
  const startedAt = Date.now()
  const sinceStart = (): number => Date.now() - startedAt
  let isDone = false
  const sending = Promise.all([run.send(order), pause(50).then(() => run.send(order))])
  void sending.then(() => (isDone = true))
  let lastUnknownMs = 0
  while (order.final === null) {
    const { status, reply } = await run.look(order)
    if (status === 'unknown') lastUnknownMs = sinceStart()
    if (sinceStart() > run.scenario.settleSeconds * 1000 && isDone) {
      if (lastUnknownMs > storedWithinMs && status === 'unknown') return dropped
      throw new Broken(`No final outcome after ${run.scenario.settleSeconds} s`, reply, rules.settle)
    }
    await pause(250)
  }
  const replies = await sending
  for (const reply of replies) if (reply.fault === null) expectSame(run, order, reply)
  const final = await run.submit(order)
  if (lastUnknownMs > storedWithinMs) {
    const why = 'It was carried out more than 30 s after it was sent, and after it was unknown'
    if (final.status === 'succeeded') throw new Broken(why, final.reply, rules.late)
    return dropped
  }
  if (final.status !== 'succeeded')
    throw new Broken(`\`${shown(final)}\` instead of \`succeeded\``, final.reply, rules.wallets)
  if (replies.every(({ fault }) => fault === null))
    throw new NotTested(`both responses came within ${run.scenario.timeoutSeconds} s`)
  return `the provider knew it after ${Math.ceil(lastUnknownMs / 1000)} s, so a request stored after 30 s was not tested`
}

function expectSame(run: Run, order: Order, reply: Parameters<Run['read']>[1]): void {
  const outcome = run.read(order, reply)
  if (outcome.status !== 'pending' && order.final !== null && shown(outcome) !== shown(order.final))
    throw new Broken(
      `One copy got \`${shown(outcome)}\`, and the outcome is \`${shown(order.final)}\``,
      reply,
      rules.sameResponse,
    )
}

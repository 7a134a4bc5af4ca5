import { setTimeout as pause } from 'node:timers/promises'
import { declineReasons, failureReasons } from '../../schemas/payment-reasons.ts'
import { Broken, NotTested, type Obligation, type Order, type Run, shown } from './run.ts'
import type { PaymentName } from './scenario.ts'

const table = 'the table of responses'
const isFinal = 'These statuses are final.'

const expected: [name: PaymentName, status: string][] = [
  ...declineReasons.map((name): [PaymentName, string] => [name, 'declined']),
  ...failureReasons.map((name): [PaymentName, string] => [name, 'failed']),
  ['wallet_locked', 'refused'],
]

export const outcomeObligations: Obligation[] = [
  ...expected.map(
    ([name, status]): Obligation => ({
      id: name.replaceAll('_', '-'),
      title: `\`${status}\` with the reason \`${name}\`, and no money moves`,
      rule: table,
      async run(run) {
        const order = run.payment(name)
        await run.finish(order, `${status} (${name})`)
        await run.submit(order)
        await run.look(order)
      },
    }),
  ),
  {
    id: 'wrong-pin',
    title: 'A wrong PIN and a wallet that does not exist get the same response',
    rule: '`wrong_pin` (also if there is no such wallet)',
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
    rule: 'You must limit wrong attempts',
    run: lockWallet,
  },
  pendingObligation('pending_then_succeeded', ['succeeded']),
  pendingObligation('pending_then_failed', ['declined', 'failed', 'refused']),
  {
    id: 'slow',
    title: 'A payment slower than the timeout is carried out once, and its outcome becomes final',
    rule: isFinal,
    run: paySlowly,
  },
]

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
    rule: isFinal,
    async run(run) {
      const order = run.payment(name)
      const first = await run.submit(order)
      if (first.status !== 'pending') {
        if (!finals.includes(first.status)) throw new Broken(`\`${shown(first)}\` at once`, first.reply)
        throw new NotTested(`this payment was \`${first.status}\` at once`)
      }
      await run.submit(order)
      const { status, reply } = await run.settled(order)
      if (!finals.includes(status)) throw new Broken(`It became \`${status}\``, reply)
      await run.look(order)
      await run.submit(order)
      await run.look(order)
    },
  }
}

/** How long a provider may take to store a request (wallet-provider.md). */
const storedWithinMs = 30_000

async function paySlowly(run: Run): Promise<void> {
  const order = run.payment('slow')
  const startedAt = Date.now()
  const sending = Promise.all([run.send(order), pause(50).then(() => run.send(order))])
  const done = sending.then(() => true)
  let lastUnknownMs = 0
  const endsAt = startedAt + run.scenario.settleSeconds * 1000
  for (;;) {
    const { status, reply } = await run.look(order)
    if (status === 'unknown') lastUnknownMs = Date.now() - startedAt
    else if (lastUnknownMs > storedWithinMs)
      throw new Broken('It was carried out more than 30 s after it was sent, and after it was unknown', reply)
    if (order.final !== null) break
    if (Date.now() > endsAt) throw new Broken(`No final outcome after ${run.scenario.settleSeconds} s`, reply)
    await Promise.race([done, pause(250)])
    await pause(100)
  }
  const replies = await sending
  for (const reply of replies) if (reply.fault === null) expectSame(run, order, reply)
  await run.finish(order, 'succeeded')
  if (replies.every(({ fault }) => fault === null))
    throw new NotTested(`both responses came within ${run.scenario.timeoutSeconds} s`)
}

function expectSame(run: Run, order: Order, reply: Parameters<Run['read']>[1]): void {
  const outcome = run.read(order, reply)
  if (outcome.status !== 'pending' && order.final !== null && shown(outcome) !== shown(order.final))
    throw new Broken(
      `One copy got \`${shown(outcome)}\`, and the outcome is \`${shown(order.final)}\``,
      reply,
    )
}

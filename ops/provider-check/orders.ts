import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Broken, NotTested, rules } from './broken.ts'
import { newKey, type Obligation, type Order, type Run, shown } from './run.ts'

const kinds = ['payment', 'refund'] as const

const make = async (run: Run, kind: (typeof kinds)[number]): Promise<Order> =>
  kind === 'payment' ? run.payment('succeeded') : run.refund(await run.paid(), { amount: 5, fee: 0 })

export const orderObligations: Obligation[] = [
  ...kinds.flatMap((kind): Obligation[] => {
    const forRefunds = kind === 'refund'
    return [
      {
        id: `${kind}-repeated`,
        title: `A ${kind} that is sent again is carried out once`,
        rule: rules.once,
        forRefunds,
        async run(run) {
          const order = await make(run, kind)
          await run.finish(order, 'succeeded')
          for (let copy = 0; copy < 3; copy += 1) await run.submit(order)
          await run.look(order)
        },
      },
      {
        id: `${kind}-concurrent`,
        title: `A ${kind} whose copies arrive at the same time is carried out once`,
        rule: rules.once,
        forRefunds,
        async run(run) {
          for (let round = 0; round < 3; round += 1)
            await run.withBalances(async () => sendCopies(run, await make(run, kind)))
        },
      },
      {
        id: `${kind}-other-body`,
        title: `A key of a ${kind} is never used for another body`,
        rule: rules.otherBody,
        forRefunds,
        async run(run) {
          const order = await make(run, kind)
          await run.finish(order, 'succeeded')
          const others = [
            { amount: order.amount - 1 },
            { fee: order.fee + 1 },
            forRefunds ? { paymentKey: (await run.paid()).key } : { businessId: newKey() },
          ]
          for (const other of others) await expectSameOrError(run, order, { ...order.body, ...other })
        },
      },
    ]
  }),
  {
    id: 'refused-repeated',
    title: 'A refused payment stays refused, even if its copy has the right PIN',
    rule: rules.otherBody,
    async run(run) {
      const order = await run.wrongPin()
      await run.submit(order)
      const wallets = Object.entries(run.scenario.payments)
      const right = wallets.find(([name, { phone }]) => name !== 'wrong_pin' && phone === order.phone)
      if (right === undefined)
        throw new NotTested('no other entry of the scenario has the right PIN of the wallet for `wrong_pin`')
      await expectSameOrError(run, order, { ...order.body, pin: right[1].pin })
    },
  },
  {
    id: 'payment-and-refund',
    title: 'A payment and a refund with the same key are two requests',
    rule: rules.twoRequests,
    forRefunds: true,
    async run(run) {
      const paid = await run.paid()
      const refund = run.refund(paid, { key: paid.key, amount: 5, fee: 0 })
      await run.expectUnknown(refund)
      await run.finish(refund, 'succeeded')
      await run.look(paid)
      const other = run.refund(paid, { amount: 1, fee: 0 })
      await run.finish(other, 'succeeded')
      const payment = run.payment('succeeded', { key: other.key })
      await run.expectUnknown(payment)
      await run.finish(payment, 'succeeded')
    },
  },
  {
    id: 'keys',
    title: 'Keys of 64 characters, of all characters but spaces, are told apart by each one',
    rule: rules.key,
    async run(run) {
      const start = randomBytes(32).toString('hex').slice(0, 63)
      const unknown = run.payment('succeeded', { key: `${start}B` })
      const keys = [`${start}a`, `${start}b`, `${start}A`, `PI:+&=#?/%2F..~"${newKey()}`]
      for (const [index, key] of keys.entries()) {
        const order = run.payment('succeeded', { key, amount: run.scenario.amount - index })
        await run.expectUnknown(order)
        await run.finish(order, 'succeeded')
        await run.look(order)
      }
      await run.expectUnknown(unknown)
    },
  },
  {
    id: 'unknown-key',
    title: 'A query for a key that never arrived gets 404 `unknown`',
    rule: rules.unknown,
    async run(run) {
      await run.expectUnknown(run.payment('succeeded'))
      const refund = run.refund({ ...run.payment('succeeded'), key: newKey() })
      if (run.scenario.refunds) await run.expectUnknown(refund)
    },
  },
  {
    id: 'response-lost',
    title: 'If the connection breaks before the response, a query and a copy get the outcome',
    rule: rules.queried,
    run: loseResponses,
  },
]

const copies = 8

async function sendCopies(run: Run, order: Order): Promise<void> {
  const replies = await Promise.all(Array.from({ length: copies }, () => run.send(order)))
  const outcomes = replies.map((reply) => run.read(order, reply))
  const final = await run.settled(order)
  if (final.status !== 'succeeded')
    throw new Broken(`\`${shown(final)}\` instead of \`succeeded\``, final.reply, rules[order.kind])
  // A copy's response may have been written while the outcome was not known yet.
  const wrong = outcomes.find(({ status }) => status !== 'pending' && status !== final.status)
  const why = `One copy got \`${wrong && shown(wrong)}\`, and the outcome is \`${shown(final)}\``
  if (wrong !== undefined) throw new Broken(why, wrong.reply, rules.sameResponse)
}

async function expectSameOrError(run: Run, order: Order, body: object): Promise<void> {
  const reply = await run.send(order, {}, JSON.stringify(body))
  const isError = reply.status !== null && reply.status >= 400 && reply.status < 500
  const outcome = isError ? await run.look(order) : run.read(order, reply)
  const { final } = order
  if (final !== null && shown(outcome) !== shown(final)) {
    // What it is now is read later.
    order.final = null
    throw new Broken(`\`${shown(outcome)}\` for a key that was \`${shown(final)}\``, reply)
  }
  await run.look(order)
}

const seenWithinMs = 5_000

async function loseResponses(run: Run): Promise<string | undefined> {
  let unseen = 0
  const delaysMs = [0, 10, 50, 200]
  for (const dropAfterMs of delaysMs) {
    const order = run.payment('succeeded')
    await run.send(order, { dropAfterMs })
    const endsAt = Date.now() + seenWithinMs
    while (!order.isKnown && Date.now() < endsAt) {
      await run.look(order)
      await pause(100)
    }
    if (order.isKnown) await run.settled(order)
    else unseen += 1
    await run.finish(order, 'succeeded')
  }
  return unseen === 0
    ? undefined
    : `${unseen} of ${delaysMs.length} requests arrived only when they were sent again`
}

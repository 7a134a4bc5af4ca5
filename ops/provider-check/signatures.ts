import { randomBytes } from 'node:crypto'
import { Broken, rules } from './broken.ts'
import type { Changes, Reply } from './requests.ts'
import type { Obligation, Run } from './run.ts'

/** More than 300 s, even if the clocks differ by 30 s. */
const staleSeconds = 340
/** Less than 300 s, even then. */
const freshSeconds = 240

const changeDigit = (signature: string): string =>
  signature.slice(0, -1) + (signature.endsWith('0') ? '1' : '0')

const forgeries: { id: string; title: string; changes: Changes[] }[] = [
  {
    id: 'signature-key',
    title: 'A request signed with another key gets 401',
    changes: [{ key: randomBytes(32).toString('hex') }],
  },
  {
    id: 'signature-value',
    title: 'A request with a changed, shortened, empty or missing signature gets 401',
    changes: [
      { header: changeDigit },
      { header: (signature) => signature.slice(0, 40) },
      { header: () => '' },
      { header: () => 'sha256=' },
      { header: () => null },
    ],
  },
  {
    id: 'signature-body',
    title: 'A request whose body was changed gets 401',
    changes: [
      { sign: ({ body }) => ({ body: `${body} ` }) },
      { sign: ({ body }) => ({ body: body === '' ? '{}' : body.replace(/"amount":\d/, '"amount":9') }) },
      { sign: ({ body }) => ({ body: body === '' ? '\n' : '' }) },
    ],
  },
  {
    id: 'signature-path',
    title: 'A request whose path or method was changed gets 401',
    changes: [
      { sign: ({ path }) => ({ path: path.replace(/payments|refunds/, 'others') }) },
      { sign: ({ path }) => ({ path: path.slice(0, -1) }) },
      { sign: ({ path }) => ({ path: '/wrong-base' + path }) },
      { sign: ({ method }) => ({ method: method === 'GET' ? 'POST' : 'GET' }) },
    ],
  },
  {
    id: 'signature-time',
    title: 'A request whose timestamp is more than 300 s off, or was changed, gets 401',
    changes: [
      { ageSeconds: staleSeconds },
      { ageSeconds: -staleSeconds },
      { sign: ({ timestamp }) => ({ timestamp: String(Number(timestamp) - 1) }) },
    ],
  },
]

export const signatureObligations: Obligation[] = [
  ...forgeries.map(
    ({ id, title, changes }): Obligation => ({
      id,
      title: `${title}, and nothing is carried out`,
      rule: rules.signature,
      async run(run) {
        const paid = await run.paid()
        const { refunds } = run.scenario
        const refunded = refunds ? run.refund(paid, { amount: 5, fee: 0 }) : null
        if (refunded !== null) await run.finish(refunded, 'succeeded')
        for (const change of changes) {
          const orders = [
            run.payment('succeeded'),
            ...(refunds ? [run.refund(paid, { amount: 1, fee: 0 })] : []),
          ]
          for (const order of orders) {
            expect401(await run.send(order, change))
            await run.expectUnknown(order)
          }
          expect401(await run.query(paid, change))
          if (refunded !== null) expect401(await run.query(refunded, change))
        }
      },
    }),
  ),
  {
    id: 'signature-accepted',
    title: 'A right signature is accepted, whatever the form of the JSON, and up to 300 s early or late',
    rule: rules.bytes,
    run: acceptRight,
  },
]

function expect401(reply: Reply): void {
  if (reply.status !== 401) throw new Broken(`${reply.status ?? reply.fault} instead of 401`, reply)
}

async function acceptRight(run: Run): Promise<void> {
  const forms = [
    (body: object) => JSON.stringify(body, null, 2),
    (body: object) => JSON.stringify(Object.fromEntries(Object.entries(body).toReversed())),
    (body: object) => JSON.stringify(body).replace('"MRU"', '"\\u004dRU"'),
  ]
  for (const form of forms) {
    const order = run.payment('succeeded')
    const reply = await run.send(order, {}, form(order.body))
    if (run.read(order, reply).status !== 'succeeded') await run.settled(order)
    await run.finish(order, 'succeeded')
  }
  for (const ageSeconds of [freshSeconds, -freshSeconds]) {
    const order = run.payment('succeeded')
    run.read(order, await run.send(order, { ageSeconds }))
    run.read(order, await run.query(order, { ageSeconds }))
    await run.finish(order, 'succeeded')
  }
}

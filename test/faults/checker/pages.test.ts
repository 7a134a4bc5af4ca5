import { expect } from 'chai'
import type { Call } from '../evidence/evidence.ts'
import { judge } from './check.ts'
import { at } from './story/clock.ts'
import { type Ordinary, ordinary } from './story/ordinary.ts'
import { tellsOf, the } from './story/perturbations.ts'
import { call, shop } from './story/story.ts'

type Asked = Partial<Call> & Pick<Call, 'what' | 'path'>

/** Somebody without a key asks a page; it is turned away, if nothing else is said. */
const asks = (round: Ordinary, seconds: number, given: Asked): Call =>
  call(round, seconds, {
    actor: given.what.startsWith('pay') ? 'customer' : 'support',
    business: null,
    keyId: null,
    sandbox: null,
    status: 404,
    answer: { text: '', state: null, location: null },
    ...given,
  })

/** The page of the payment that is made at 4 s and paid at 9.05 s. */
const page = ({ byWallet }: Ordinary): string => `/p/${byWallet.shortCode}`
const looks = (round: Ordinary, seconds: number, given: Partial<Call> = {}): Call =>
  asks(round, seconds, { what: 'pay.page', method: 'GET', path: page(round), ...given })

const enters = (round: Ordinary, seconds: number, code = round.byWallet.code): Call =>
  asks(round, seconds, { what: 'pay.code', path: `/sandbox/${shop.id}`, body: { code }, status: 422 })

/** A form of its own, by default of who knows the PIN and has the money. */
function pays(
  round: Ordinary,
  typed: { phone?: string; pin?: string; amount?: string } = {},
  given: Partial<Call> = {},
): Call {
  const body = { form: 'abcdef.time.signature', phone: '22999999', pin: '918273', ...typed }
  return asks(round, 7, { what: 'pay.confirm', path: page(round), body, status: 422, ...given })
}

/** What came of it, by the intent. */
const outcome = ({ byWallet }: Ordinary, kind: string): unknown =>
  byWallet.attempts.push({ kind: 'payment', id: 'abcdef', at: at(7), amount: 500, outcome: kind })

const signsIn = (round: Ordinary, password: string): Call =>
  asks(round, 20, {
    what: 'support.sign-in',
    path: '/admin/sign-in',
    body: { name: 'aicha', password },
    status: 403,
  })

const presses = (round: Ordinary, of: string, status: number): Call =>
  asks(round, 20, { what: 'requeue', path: `/admin/deliveries/${of}/send-again`, status })

const aDelivery = ({ dump }: Ordinary): string => the(dump.deliveries[0])._id
const isDue = (round: Ordinary): boolean => !judge(round).some(({ promise }) => promise === 'refusal.due')

/** Each is turned away for a reason. */
const due: [string, (round: Ordinary) => void][] = [
  ['a payment that nobody made has no page', (round) => void looks(round, 6, { path: '/p/ZZZZZZ' })],
  ['a paid one is not offered', (round) => void looks(round, 20, { status: 200 })],
  ['a code leads nowhere once it is paid', (round) => void enters(round, 20)],
  ['a code leads nowhere that is mistyped', (round) => void enters(round, 6, '999999')],
  ['a code leads nowhere once its time is up', (round) => void enters(round, 23.5, round.expired.code)],
  ['the PIN is wrong', (round) => void pays(round, { pin: '0000' })],
  ['the wallet is nobody’s', (round) => void pays(round, { phone: '22000004' })],
  ['the amount always fails', (round) => (pays(round), (round.byWallet.amount = 99_901))],
  ['there is not enough money', (round) => (pays(round), (the(round.setting.wallets[0]).balance = 499))],
  [
    'the amount is open, and they typed more than there is',
    (round) => (pays(round, { amount: '5000.00' }), (round.byWallet.amountType = 'OPEN')),
  ],
  [
    'the wallet is locked by wrong PINs',
    (round) => (
      pays(round, { form: 'x', pin: '0000' } as object, { began: at(6), ended: at(6.1) }), pays(round)
    ),
  ],
  [
    'something stood still on the way to the wallet',
    (round) => {
      pays(round)
      outcome(round, 'not-executed')
      round.faults.push({ what: 'process.stop', target: 'web-1', began: at(6), ended: at(7) })
    },
  ],
  [
    'something stood still when the form was sent first, and it is sent again much later',
    (round) => {
      pays(round, {}, { status: null, answer: null })
      pays(round, {}, { began: at(15), ended: at(15.1), status: 303 })
      outcome(round, 'not-executed')
      round.faults.push({ what: 'process.stop', target: 'web-1', began: at(6), ended: at(7) })
    },
  ],
  [
    'the last second had begun before the wallet was asked',
    (round) => {
      pays(round, {}, { status: 303 })
      outcome(round, 'not-executed')
      round.byWallet.expiresAt = at(8.05)
    },
  ],
  ['a name has another password', (round) => void signsIn(round, 'another')],
  ['a delivery is not there', (round) => void presses(round, 'nobody', 404)],
  [
    'a day passed since the sign-in',
    (round) => {
      presses(round, aDelivery(round), 403)
      round.faults.push({ what: 'clock.jump', target: 'all +0', began: at(20), ended: at(20.05) })
    },
  ],
  [
    'the same browser signed in anew meanwhile',
    (round) => {
      presses(round, aDelivery(round), 403)
      Object.assign(signsIn(round, 'a-password-of-hers'), { status: 303 })
    },
  ],
]

describe('The checker of faults, of pages,', () => {
  for (const [what, change] of due)
    it(`lets somebody be turned away where ${what}`, () => {
      const round = ordinary()
      change(round)
      expect(isDue(round)).to.equal(true)
    })

  tellsOf([
    ['refusal.due', 'the page of a payment is not found', (round) => looks(round, 6)],
    ['refusal.due', 'the page of an ended payment is not found', (round) => looks(round, 20)],
    [
      'refusal.due',
      'the page of an open payment offers nothing',
      (round) => looks(round, 6, { status: 200 }),
    ],
    ['refusal.due', 'a customer looks too often who does not', (round) => looks(round, 6, { status: 429 })],
    ['refusal.due', 'the right digits lead nowhere', (round) => enters(round, 6)],
    ['refusal.due', 'who knows the PIN and has the money is not let pay', (round) => pays(round)],
    [
      'refusal.due',
      'who typed no more than there is for an open amount is not let pay',
      (round) => {
        pays(round, { amount: '4.99' })
        round.byWallet.amountType = 'OPEN'
        the(round.setting.wallets[0]).balance = 499
      },
    ],
    [
      'refusal.due',
      'a form is taken, and comes to nothing by itself',
      (round) => {
        pays(round, {}, { status: 303 })
        outcome(round, 'not-executed')
      },
    ],
    [
      'refusal.due',
      'an order came to its wallet in time, while something stood still, and is told to have failed',
      (round) => {
        pays(round)
        outcome(round, 'failed')
        round.faults.push({ what: 'process.stop', target: 'web-1', began: at(6), ended: at(7) })
      },
    ],
    ['refusal.due', 'staff are not let in', (round) => signsIn(round, 'a-password-of-hers')],
    ['refusal.due', 'staff may not act', (round) => presses(round, aDelivery(round), 403)],
    ['refusal.due', 'staff do not find what is there', (round) => presses(round, aDelivery(round), 404)],
    [
      'refusal.due',
      'staff ask too often who do not',
      (round) => asks(round, 20, { what: 'support.page', path: '/admin/dead', status: 429 }),
    ],
  ])
})

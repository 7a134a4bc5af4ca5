import { expect } from 'chai'
import { createPools } from '../cast/pools.ts'
import { marksIn } from '../cast/references.ts'
import { plainAttack } from '../generators/plain.ts'
import type { Answer } from '../wire/answer.ts'
import { answerOracles } from './oracles.ts'
import { runOracles } from './run-oracles.ts'
import { faultOf, type Seen } from './seen.ts'
import { silenceOracles } from './silence-oracles.ts'

const list = '/api/v1/dev/intents'

/** A request of support staff with a good key, and its response. */
function seen(
  method: string,
  line: string,
  answer: Partial<Answer>,
  headers: Record<string, string> = {},
): Seen {
  return {
    attack: plainAttack({ target: `${method} ${line}`, method, line }, 0),
    actor: { kind: 'test secret', owner: 0, mode: 'test', key: 'sk', let: 'all' },
    staff: { role: 'support', name: 'a', password: 'b', cookie: 'c', csrf: 'd' },
    number: 0,
    line,
    idempotencyKey: 'scene-1',
    place: 0,
    answer: {
      status: 200,
      headers: new Map(Object.entries(headers)),
      cookies: [],
      body: '',
      beyond: 0,
      ...answer,
    },
  }
}

const pools = createPools()
pools.add(1, 'test', 'intent', 'PI-1')
pools.add(0, 'live', 'delivery', 'd-live')
pools.add(0, 'live', 'endpoint', 'e-both')
pools.add(0, 'test', 'delivery', 'd-own')
const judge = (oracle: string, one: Seen) => answerOracles(pools)[oracle]?.(one)

// The planted bugs (planted/plants.ts) show that every oracle finds its bug, and a run without one that none raises a false alarm.
describe('oracles of the attack', () => {
  it('report an act that happens twice with one idempotency key', () => {
    const oncePerKey = answerOracles(pools)['once per key']
    const act = () => seen('POST', `${list}/PI-1/cancel`, { body: '{"success":true}' })
    expect([oncePerKey?.(act()), oncePerKey?.(act())])
      .to.have.nested.property('[1]')
      .that.includes('done again')
  })

  it('report more responses than requests', () => {
    const made = seen('', '', { status: 400 })
    const second = {
      ...made,
      place: 1,
      attack: { ...made.attack, raw: { text: '', dues: ['keyed'] as const } },
    }
    expect(judge('read once', second)).to.include('answer 2')
  })

  it('report data of another business or environment by its id, but not by metadata', () => {
    const apart = (data: object) =>
      judge('apart', seen('GET', list, { body: JSON.stringify({ success: true, data }) }))
    expect(apart({ items: [{ id: 'x', sandbox: false }] })).to.include('sandbox')
    expect(apart({ items: [{ referenceNumber: 'PI-1' }] })).to.include('another business')
    expect(apart({ id: 'd-live' })).to.include('other environment')
    expect(apart({ id: 'd-own', endpointId: 'e-both', sandbox: true, metadata: { id: 'PI-1' } })).to.equal(
      null,
    )
  })

  it('report what they cannot read', () => {
    const cut = seen(
      'GET',
      list,
      { body: '{"success":' },
      { 'content-type': 'application/json; charset=utf-8' },
    )
    expect(faultOf((one) => judge('as described', one) ?? null, cut)).to.include('cannot be judged')
  })

  it('report bytes behind a response, except the body of a refusal after HEAD', () => {
    const after = (method: string, beyond: number, headers: Record<string, string>) =>
      judge('enveloped', seen(method, list, { beyond }, headers))
    const ending = { connection: 'close', 'content-length': '5' }
    expect(after('GET', 5, ending)).to.include('5 bytes')
    expect(after('HEAD', 5, { 'content-length': '5' })).to.include('5 bytes')
    expect(after('HEAD', 6, ending)).to.include('6 bytes')
    expect(after('HEAD', 5, ending)).not.to.include('bytes')
  })

  it('report each missing header of a page, and an open content security policy', () => {
    const good = {
      'x-request-id': '01234567-0123-0123-0123-0123456789ab',
      'x-content-type-options': 'nosniff',
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'x-robots-tag': 'noindex, nofollow',
    }
    const page = (headers: object) =>
      judge('enveloped', seen('GET', '/p/abc', { body: '<h1>' }, { ...good, ...headers }))
    expect(page({})).to.equal(null)
    for (const name of Object.keys(good)) expect(page({ [name]: '' }), name).not.to.equal(null)
    const open = `${good['content-security-policy']}; style-src 'unsafe-inline'`
    expect(page({ 'content-security-policy': open })).to.include('policy')
  })

  it('report a 503 other than the intended ones', () => {
    const signIn = (body: string) =>
      judge('no fault', seen('POST', '/admin/sign-in', { status: 503, body }, { 'retry-after': '2' }))
    expect(signIn('Too many people are signing in right now.')).to.equal(null)
    expect(signIn('MongoDB is away')).to.include('503')
  })

  it('report an endpoint on this machine that production reaches', () => {
    const reached = (isProduction: boolean) =>
      runOracles['nothing private reached']?.({
        processes: [{ name: 'worker', connections: () => ['127.0.0.1:7', '127.0.0.1:8'] }],
        receivers: { honestPort: 7, trapped: [] },
        serverPorts: [8],
        isProduction,
      } as never)
    expect(reached(false)).to.deep.equal([])
    expect(reached(true)).to.deep.equal(['worker connected to 127.0.0.1:7'])
  })

  it('report a missing response to a body within its limit', () => {
    const silence = (target: string, bytes: number, none: 'closed' | 'late' = 'closed', part = 0) =>
      silenceOracles['no hang']?.({
        attack: plainAttack({ target, method: 'POST', line: '/' }, 0),
        none,
        ms: 1,
        part,
        bytes,
      })
    const file = 'POST /dev/store/products/import-csv'
    expect(silence(file, 1_000_000)).to.include('closed')
    expect(silence('POST /dev/intents', 1_000_000)).to.equal(null)
    expect(silence(file, 9_000_000)).to.equal(null)
    expect(silence(file, 9_000_000, 'late')).to.include('late')
    expect(silence(file, 10, 'closed', 4)).to.include('4 bytes of an answer')
  })

  it('read the owner of a text from its mark, and ignore sealed text', () => {
    expect(marksIn('Mk3tq12e and Mk4q5e, of Mk2e')).to.deep.equal([
      { owner: 3, mode: 'test', number: 12 },
      { owner: 4, mode: null, number: 5 },
      { owner: 2, mode: null, number: null },
    ])
    expect(marksIn('"v1.ba3e3c1b.tRatMk0tq12eK5-Mk1e_G5" and Mk0le')).to.deep.equal([])
  })
})

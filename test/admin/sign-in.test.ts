import { createSignInChecks } from '../../src/accounts/sign-in-limit.ts'
import type { AuditEvent } from '../../src/audit/audit-event.ts'
import { parseConfig } from '../../src/config/config.ts'
import { checksPerOwner, createSlowHash } from '../../src/security/slow-hash.ts'
import { staffSignInLimits } from '../../src/staff/account.ts'
import { setStaffDisabled } from '../../src/staff/change-account.ts'
import { createGate } from '../support/gate.ts'
import { freshEnvironment, withSecondProcess, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { hiddenFields, hire, operator, refusalsIn, visit } from './staff.ts'

describe('Staff sign-in', () => {
  // Tests choose their address with X-Forwarded-For.
  const service = withService({ TRUST_PROXY: '1' })
  const beside = withSecondProcess(service, { TRUST_PROXY: '1' })
  let addresses = 0
  const elsewhere = () => `198.51.${Math.floor(addresses / 200)}.${(addresses++ % 200) + 1}`
  const attemptAs = (name: string, password: string, from = elsewhere(), more: Record<string, string> = {}) =>
    visit(service).post('/admin/sign-in', { name, password, ...more }, { 'X-Forwarded-For': from })

  /** Four owners, so that none of them reaches its own limit. */
  const ownerOf = (index: number): string => `owner ${index % 4}`

  it('sets a 12-hour cookie that only this host receives, only over https, and that scripts cannot read', async () => {
    const visitor = visit(service)
    expect((await visitor.get('/admin/sign-in')).status).to.equal(200)
    const { name, password } = await hire(service, 'viewer')
    const got = await visitor.post('/admin/sign-in', { name: ` ${name.toUpperCase()} `, password })
    expect([got.status, got.location]).to.deep.equal([303, '/admin'])
    const [cookie = '', ...attributes] = String(got.headers.get('set-cookie')).split('; ')
    expect(attributes).to.have.members(['Path=/', 'Secure', 'HttpOnly', 'SameSite=Strict', 'Max-Age=43200'])
    const token = /^__Host-staff=([\w-]{43})$/.exec(cookie)?.[1]
    expect(token).to.be.a('string')
    const sessions = await service.deps.StaffSession.find({ staffName: name }).lean()
    expect(sessions).to.have.lengthOf(1)
    expect(JSON.stringify(sessions)).not.to.include(token)
    expect((await visitor.get('/admin/audit')).text).to.include(name)
  })

  it('responds the same way to an unknown name, a wrong password and a disabled account', async () => {
    const [known, disabled] = [await hire(service, 'viewer'), await hire(service, 'viewer')]
    await setStaffDisabled(service.deps, disabled.name, true, operator)
    const from = elsewhere()
    const refusalOf = async (name: string, password: string) => {
      const { status, text, location, headers } = await attemptAs(name, password, from)
      return { status, location, cookie: headers.get('set-cookie'), text: text.replace(name, '…') }
    }
    const wrong = await refusalOf(known.name, 'wrong')
    expect(wrong).to.include({ status: 403, cookie: null })
    expect(wrong.text).to.include('The name or the password is wrong.')
    expect(await refusalOf('nobody-here', 'wrong')).to.deep.equal(wrong)
    expect(await refusalOf(disabled.name, disabled.password)).to.deep.equal(wrong)
    const isRefused = ({ actor }: AuditEvent) => actor.from === from && actor.name === 'not signed in'
    const refused = await refusalsIn(service, isRefused)
    expect(refused.count).to.equal(3)
    expect(refused.notes).to.have.members([
      `${known.name}: wrong password`,
      'unknown name: no such account',
      `${disabled.name}: the account is disabled`,
    ])
  })

  it("audits a network's first refusal in each hour separately and all later ones in one shared line", async () => {
    service.clock.freeze(new Date('2036-03-01T12:10:00Z'))
    const [{ name, password }, from] = [await hire(service, 'viewer'), elsewhere()]
    await Promise.all([attemptAs(name, 'wrong', from), attemptAs('nobody-here', 'wrong', from)])
    for (const wrong of ['1', '2', '3']) await attemptAs(name, wrong, from)
    expect((await attemptAs(name, password, from)).status).to.equal(303)
    service.clock.freeze(new Date('2036-03-01T13:00:00Z'))
    await attemptAs(name, 'wrong', from)
    const act = { act: 'staff.sign-in-refused', 'actor.from': from } as const
    const lines = await service.deps.AuditEvent.find(act).sort({ at: 1 }).lean()
    const shared = lines.filter(({ after }) => after?.times !== undefined)
    expect([lines.length, shared.length]).to.deep.equal([3, 1])
    expect(shared[0]).to.deep.include({ at: new Date('2036-03-01T12:10:00Z'), closesAt: service.clock.now() })
    expect(shared[0]?.after?.times).to.equal(4)
    expect(shared[0]?.after?.notes).to.include(`${name}: wrong password`)
    service.clock.freeze(null)
  })

  const forget = () => service.deps.Counter.updateMany({}, { expireAt: new Date(0) })

  async function addFailures(network: string, now: number, points: number) {
    const filter = { _id: `sign-in ${network}`, used: now }
    expect(await service.deps.Counter.updateOne(filter, { used: points })).to.include({ matchedCount: 1 })
  }

  it('slows down with each failure and blocks the name after ten, even across processes', async () => {
    const [{ name, password }, from] = [await hire(service, 'viewer'), elsewhere()]
    for (const leastMs of [0, 0, 250]) {
      const startedAt = performance.now()
      expect((await attemptAs(name, 'wrong', from)).status).to.equal(403)
      expect(performance.now() - startedAt).to.be.at.least(leastMs)
    }
    // Later attempts are only counted, because waiting for each takes seconds.
    const counts = [service, beside].map(
      ({ deps }) => createSignInChecks(deps, staffSignInLimits).countAttempt,
    )
    const eight = [...counts, ...counts, ...counts, ...counts]
    const attempts = await Promise.all(eight.map((count) => count(name, from)))
    const delays = attempts.filter((each) => each.isOpen).map(({ delayMs }) => delayMs)
    expect(delays).to.have.length(7)
    // Concurrent attempts count each other, so none waits for less than its own delay.
    const least = [500, 1000, 2000, 3000, 3000, 3000, 3000]
    for (const [index, delay] of delays.toSorted((a, b) => a - b).entries())
      expect(delay).to.be.at.least(least[index] ?? 0)
    expect((await refusalsIn(service, ({ actor }) => actor.from === from)).count).to.equal(3)
    const late = await attemptAs(name, password, from)
    expect(late.status).to.equal(429)
    expect(Number(late.headers.get('retry-after'))).to.be.within(850, 900)
    expect(late.text).to.include('Too many attempts. Try again in 15 minutes.')
    // The name is blocked only for that address.
    expect((await attemptAs(name, password)).status).to.equal(303)
    await forget()
    expect((await attemptAs(name, password, from)).status).to.equal(303)
  })

  it("resets a user name's failure count after a successful sign-in", async () => {
    const [{ name, password }, from] = [await hire(service, 'viewer'), elsewhere()]
    for (const _ of [1, 2]) expect((await attemptAs(name, 'wrong', from)).status).to.equal(403)
    expect((await attemptAs(name, password, from)).status).to.equal(303)
    const { countAttempt } = createSignInChecks(service.deps, staffSignInLimits)
    for (const _ of [1, 2]) expect(await countAttempt(name, from)).to.include({ isOpen: true, delayMs: 0 })
  })

  it("blocks an address after fifty failures in an hour across all names, but doesn't count successes", async () => {
    const { name, password } = await hire(service, 'viewer')
    const from = '2001:db8:5::1'
    // An IPv6 customer can use any number of addresses.
    const asNeighbour = (index: number) => `2001:db8:5::${(index + 2).toString(16)}`
    for (const status of [303, 303]) expect((await attemptAs(name, password, from)).status).to.equal(status)
    const failAs = async (stranger: number, at: string) =>
      expect((await attemptAs(`stranger-${stranger}`, 'x', at)).status).to.equal(403)
    for (let time = 0; time < 3; time += 1) await failAs(time, asNeighbour(time))
    await addFailures('2001:db8:5::/64', 3, 48)
    for (let time = 3; time < 5; time += 1) await failAs(time, from)
    const late = await attemptAs(name, password, from)
    expect([late.status, Number(late.headers.get('retry-after')) > 3500]).to.deep.equal([429, true])
    await forget()
    expect((await attemptAs(name, password, from)).status).to.equal(303)
  })

  it('blocks an IPv6 /48 network, and no address outside it, after 500 failures in an hour', async () => {
    const { name, password } = await hire(service, 'viewer')
    expect((await attemptAs(name, 'wrong', '2001:db8:6:1::1')).status).to.equal(403)
    await addFailures('2001:db8:6::/48', 1, 500)
    expect((await attemptAs(name, password, '2001:db8:6:2::1')).status).to.equal(429)
    expect((await attemptAs(name, password, '2001:db8:7:2::1')).status).to.equal(303)
    await forget()
  })

  it('hashes passwords with 19 MiB and 2 passes by default but still accepts older, cheaper hashes', async () => {
    const { HASH_MEMORY_KIB: _, ...environment } = freshEnvironment({})
    const slowHash = createSlowHash(parseConfig(environment).hashMemoryKib)
    const [check, hash] = [slowHash.createCheck(), await slowHash.make('right')]
    expect(hash).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    for (const stored of [hash, await createSlowHash(64).make('right')])
      for (const [typed, fits] of Object.entries({ right: true, wrong: false }))
        expect(await check('any', stored, typed)).to.equal(fits)
  })

  it('lets 52 password checks run or wait, and neither delays PIN checks nor is delayed by them', async () => {
    const slowHash = createSlowHash(64)
    const hash = await slowHash.make('right')
    const [checkPin, checkPassword] = [slowHash.createCheck(), slowHash.createCheck(1)]
    for (const flooded of [checkPin, checkPassword]) {
      const other = flooded === checkPin ? checkPassword : checkPin
      const looked: unknown[] = []
      const flood = Array.from({ length: 52 }, async (_, index) =>
        looked.push(await flooded(ownerOf(index), hash, '1234')),
      )
      expect(await flooded('any', hash, 'right')).to.equal(null)
      const [fits] = await Promise.all([other('any', hash, 'right'), slowHash.make('another')])
      expect(fits).to.equal(true)
      // Two checks were already running, and the two kinds alternate.
      expect(looked).to.have.length.at.most(8)
      await Promise.all(flood)
      expect(looked).to.deep.equal(flood.map(() => false))
      expect(await flooded('any', null, 'right')).to.equal(false)
    }
  })

  it('stays available during a flood of requests from one ISP', async () => {
    const { name, password } = await hire(service, 'viewer')
    const { Staff } = service.deps
    const findOne = Staff.findOne.bind(Staff)
    const gate = createGate()
    let arrived = 0
    const findLater = async (query: Promise<unknown>) => {
      const found = await query
      arrived += 1
      await gate.passed
      return found
    }
    Staff.findOne = ((...conditions: Parameters<typeof findOne>) => ({
      lean: () => findLater(findOne(...conditions).lean()),
    })) as unknown as typeof Staff.findOne
    const flood = Array.from({ length: checksPerOwner + 4 }, (_, index) =>
      attemptAs('unknown', 'wrong', `2001:db9:${index}:1::1`),
    )
    await waitFor('all are about to check the password', () => arrived === flood.length)
    Staff.findOne = findOne
    gate.open()
    expect((await attemptAs(name, password, '2001:dba:1:1::1')).status).to.equal(303)
    const statuses = (await Promise.all(flood)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 403)).to.have.length(checksPerOwner)
    expect(statuses.filter((status) => status === 503)).to.have.length(4)
    await forget()
  })

  it('redirects to the requested page but never to a different site', async () => {
    const redirected = await visit(service).get('/admin/dead?from=2026-01-31&x=%26')
    expect(redirected.status).to.equal(303)
    const form = await visit(service).get(String(redirected.location))
    const { to = '' } = hiddenFields(form.text)
    expect(to).to.equal('/admin/dead?from=2026-01-31&x=%26')
    const { name, password } = await hire(service, 'viewer')
    const leads = async (where: string) =>
      (await attemptAs(name, password, elsewhere(), { to: where })).location
    expect(await leads(to)).to.equal(to)
    const foreign = ['https:', '', '/admin/..'].map((start) => `${start}//evil.example/admin`)
    const escaped = ['/\\evil.example/admin', '/admin/../\\evil.example', '/admin\r\nSet-Cookie: a=b/..']
    const others = ['/adminx', '/api/v1/openapi.json', 'javascript:alert(1)', '/admin/sign-out', '']
    for (const where of [...foreign, ...escaped, ...others, '/admin/sign-in?to=/admin/sign-in'])
      expect(await leads(where), where).to.equal('/admin')
  })

  it('accepts only forms submitted from the sign-in page', async () => {
    const { name, password } = await hire(service, 'viewer')
    const statusWith = async (headers: Record<string, string>) =>
      (await visit(service).post('/admin/sign-in', { name, password }, headers)).status
    for (const site of ['cross-site', 'same-site'])
      expect(await statusWith({ 'Sec-Fetch-Site': site })).to.equal(403)
    for (const Origin of ['https://evil.example', 'null']) expect(await statusWith({ Origin })).to.equal(403)
    const own = { 'Sec-Fetch-Site': 'same-origin' }
    expect(await statusWith({ ...own, Origin: 'null' })).to.equal(303)
    expect(await statusWith({ ...own, Origin: 'https://evil.example' })).to.equal(403)
    const bare = { method: 'POST', body: new URLSearchParams({ name, password }) }
    expect((await fetch(`${service.origin}/admin/sign-in`, bare)).status).to.equal(403)
  })

  it('responds to every malformed form with a page, never a stack trace or JSON', async () => {
    const send = (body: string, type: string, more: Record<string, string> = {}) =>
      fetch(`${service.origin}/admin/sign-in`, {
        method: 'POST',
        body,
        headers: { Origin: service.origin, 'Content-Type': type, 'X-Forwarded-For': elsewhere(), ...more },
      })
    const form = 'application/x-www-form-urlencoded'
    const odd: [status: number, pending: Promise<Response>][] = [
      [413, send(`name=${'x'.repeat(9000)}`, form)],
      [403, send('', form)],
      [403, send('name=a&name=b&password[]=c&__proto__[x]=1&password=%ff%00', form)],
      [403, send('{"name":{"$ne":null},"password":{"$ne":null}}', 'application/json')],
      [403, send('name[$ne]=x&password[$ne]=x', form)],
      [403, send('a&'.repeat(4000), form)],
      [415, send('name=a', `${form}; charset=utf-7`)],
      [415, send('x', form, { 'Content-Encoding': 'gzip' })],
      [403, send(`name=${encodeURIComponent('\u{1F600}\0'.repeat(100))}&password=x`, form)],
    ]
    for (const [status, pending] of odd) {
      const [response, text] = [await pending, await (await pending).text()]
      expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8')
      expect(text).to.match(/^<!doctype html>/)
      expect(text).to.not.match(/\n\s+at |node_modules/)
      expect(response.status, text).to.equal(status)
    }
  })

  it('stores neither a mistyped password nor a password typed into the name field', async () => {
    const [{ name }, from] = [await hire(service, 'viewer'), elsewhere()]
    for (const typed of ['mistyped-secret', '<script>mistyped-secret'])
      expect((await attemptAs(typed, 'x', from)).text).not.to.include('<script')
    await attemptAs(name, 'mistyped-secret', from)
    const lines = await service.deps.AuditEvent.find({ 'actor.from': from }).lean<AuditEvent[]>()
    const refused = await refusalsIn(service, ({ actor }) => actor.from === from)
    expect(refused.count).to.equal(3)
    expect(refused.notes).to.have.members(['unknown name: no such account', `${name}: wrong password`])
    const attempts = await service.deps.Counter.find().lean()
    expect(attempts.length).to.be.greaterThan(3)
    expect(JSON.stringify([lines, refused, attempts])).not.to.include('mistyped-secret')
  })
})

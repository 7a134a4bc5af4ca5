import { createHash } from 'node:crypto'
import { endSession, listSessions } from '../../src/accounts/sessions.ts'
import type { AuditEvent } from '../../src/audit/audit-event.ts'
import { withStaffAccounts } from '../../src/staff/account.ts'
import { withService } from '../support/service.ts'
import { isSignedIn as isIn, operator, readable, refusalsIn, signedIn, type Visitor, visit } from './staff.ts'

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0'
const iPhone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1'

type Account = Record<'name' | 'password', string>

describe('The “Your account” page', () => {
  const service = withService({ TRUST_PROXY: '1' })

  const signIn = async ({ name, password }: Account, userAgent: string, from: string) => {
    const visitor = visit(service)
    const headers = { 'User-Agent': userAgent, 'X-Forwarded-For': from }
    expect((await visitor.post('/admin/sign-in', { name, password }, headers)).status).to.equal(303)
    return visitor
  }

  it('lists your sessions without their tokens and lets you end each one', async () => {
    const own = await signedIn(service, 'viewer')
    const other = await signIn(own, firefox, '198.51.100.9')
    const third = await signIn(own, iPhone, '2001:db8::7')
    service.clock.advance(20 * 60_000)
    expect(await isIn(other)).to.equal(true)
    const { text } = await own.get('/admin/account')
    expect(readable(text))
      .to.match(/198\.51\.100\.9 Firefox on Linux/)
      .and.match(/2001:db8::7 Safari on iOS/)
    expect(readable(text).match(/This session/g)).to.have.lengthOf(1)
    for (const visitor of [own, other, third]) {
      const token = visitor.cookie.split('=')[1] ?? ''
      const hashes = [...service.deps.secrets.hashes(token), createHash('sha256').update(token).digest('hex')]
      for (const secret of [token, ...hashes]) expect(text).not.to.include(secret)
    }
    const minutes = (await listSessions(withStaffAccounts(service.deps), own.name)).map(
      ({ client, lastSeenAt, createdAt }) => {
        return [client, Math.round((lastSeenAt.getTime() - createdAt.getTime()) / 60_000)]
      },
    )
    expect(minutes).to.deep.include.members([
      [firefox, 20],
      [iPhone, 0],
    ])
    const paths = text.match(/(?<=action=")\/admin\/account\/sessions\/\w+\/end(?=")/g) ?? []
    expect(paths).to.have.lengthOf(2)
    const stranger = await signedIn(service, 'admin')
    const expectNotEnded = async (visitor: Visitor, path: string) => {
      const { status, text: shown } = await visitor.act(path)
      expect(status, path).to.equal(404)
      expect(shown, path).to.include('There is no such session').and.not.include('has ended')
    }
    for (const path of [...paths, '/admin/account/sessions/x/end']) await expectNotEnded(stranger, path)
    expect([await isIn(other), await isIn(third)]).to.deep.equal([true, true])
    expect((await own.act(paths[1] ?? '')).location).to.equal('/admin/account?done=session')
    expect([await isIn(other), await isIn(third), await isIn(own)]).to.deep.equal([false, true, true])
    await expectNotEnded(own, paths[1] ?? '')
    const endOthers = () => own.act('/admin/account/end-other-sessions')
    for (const _ of [1, 2]) expect((await endOthers()).location).to.equal('/admin/account?done=sessions')
    expect([await isIn(third), await isIn(own)]).to.deep.equal([false, true])
    const { name } = own
    const [{ sessionId } = { sessionId: '' }] = await listSessions(withStaffAccounts(service.deps), name)
    for (const isEnded of [true, false])
      expect(await endSession(withStaffAccounts(service.deps), { id: name, sessionId }, operator)).to.equal(
        isEnded,
      )
    expect(await isIn(own)).to.equal(false)
    const lines = await service.deps.AuditEvent.find({ subject: name, act: 'staff.session-ended' }).lean()
    expect(lines.map(({ actor }) => actor.kind).toSorted()).to.deep.equal(['operator', 'staff', 'staff'])
  })

  it('changes the password only if you enter the old one, and then ends all your other sessions', async () => {
    const own = await signedIn(service, 'support')
    const other = await signIn(own, firefox, '198.51.100.9')
    const fresh = 'quatre grandes oies blanches'
    const submit = (old: string, password: string, again = password) =>
      own.act('/admin/account/password', { old, password, again })
    expect((await submit('wrong', fresh)).status).to.equal(403)
    expect((await submit(own.password, fresh, `${fresh} `)).status).to.equal(400)
    for (const [refused, fault] of [
      ['too short', 'The password needs at least'],
      [own.password, 'The new password is the same as the old one.'],
    ] as const) {
      const { status, text } = await submit(own.password, refused)
      expect([status, text.includes(`id="password-fault">${fault}`)]).to.deep.equal([400, true])
    }
    expect([await isIn(own), await isIn(other)]).to.deep.equal([true, true])
    expect((await submit(own.password, fresh)).location).to.equal('/admin/account?done=password')
    expect([await isIn(own), await isIn(other)]).to.deep.equal([true, false])
    await signIn({ name: own.name, password: fresh }, firefox, '198.51.100.9')
    expect((await submit(own.password, fresh)).status).to.equal(403)
    const { name } = own
    const isOwn = ({ actor }: AuditEvent) => actor.name === name && actor.from === '127.0.0.1'
    const refused = await refusalsIn(service, isOwn)
    expect(refused).to.deep.equal({ count: 2, notes: [`${name}: wrong old password`] })
    await service.deps.Counter.updateMany({ _id: /^sign-in-name 127/ }, { used: 10 })
    expect((await submit(fresh, own.password)).status).to.equal(429)
  })

  it("requires the session's CSRF token for every change", async () => {
    const own = await signedIn(service, 'viewer')
    const acts = ['password', 'second-factor', 'recovery-codes', 'end-other-sessions', 'sessions/x/end']
    for (const act of acts) {
      const { text } = await own.post(`/admin/account/${act}`, { csrf: 'x'.repeat(43) })
      expect(text, act).to.include('belongs to another session')
    }
  })
})

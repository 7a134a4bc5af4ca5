import { expect } from 'chai'
import type { AuditEvent } from '../../src/audit/audit-event.ts'
import { newId } from '../../src/security/ids.ts'
import { withService } from '../support/service.ts'
import { signedIn, type Visitor } from './staff.ts'

describe('The audit trail', () => {
  const service = withService()
  let viewer: Visitor
  before(async () => {
    viewer = await signedIn(service, 'viewer')
  })

  let lines = 0
  const addLine = async (changes: Partial<AuditEvent>): Promise<AuditEvent> => {
    const line: AuditEvent = {
      _id: newId(),
      at: new Date(Date.UTC(2020, 0, 1) + lines++ * 1000),
      actor: { kind: 'staff', name: 'moussa', from: '192.0.2.7' },
      reason: 'asked by phone',
      act: 'delivery.requeued',
      subject: `subject-${lines}`,
      businessId: 'business-1',
      before: { status: 'DEAD', nextAttemptAt: null },
      after: { status: 'RETRYING', nextAttemptAt: new Date(Date.UTC(2020, 0, 2)) },
      ...changes,
    }
    await service.deps.AuditEvent.collection.insertOne(line as never)
    return line
  }
  /** Returns the subjects on a page, in order. */
  const subjectsOf = (text: string) =>
    [...text.matchAll(/data-label="Subject"><?.*?class="id"[^>]*>([^<]+)</g)].map(([, subject]) => subject)
  const rows = async (query: string) => subjectsOf((await viewer.get(`/admin/audit?${query}`)).text)

  it("shows the time, the actor, the actor's address, the action, its subject, and the values before and after the change", async () => {
    const { subject } = await addLine({ subject: 'said-whole', at: new Date('2020-01-01T00:00:07Z') })
    const { text } = await viewer.get(`/admin/audit?subject=${subject}`)
    const [row = ''] = /<tr>\s*<td[\s\S]*?<\/tr>/.exec(text) ?? []
    const said = row
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim()
    expect(said).to.match(/^2020-01-01 00:00:07 UTC moussa staff from 192\.0\.2\.7 delivery\.requeued/)
    expect(said).to.include('said-whole of business-1 status: DEAD → RETRYING')
    expect(said).to.include('nextAttemptAt: none → 2020-01-02T00:00:00.000Z')
    expect(row).to.include('<time datetime="2020-01-01T00:00:07.000Z">')
    expect(row)
      .to.include('href="/admin/deliveries/said-whole"')
      .and.include('href="/admin/businesses/business-1"')
  })

  it('can be filtered by exact actor, action, subject and merchant, and by a time range', async () => {
    const one = await addLine({ actor: { kind: 'operator', name: 'root', from: null }, subject: 'one' })
    await addLine({ act: 'staff.disabled', subject: 'two', businessId: null, before: null, after: null })
    await addLine({ businessId: 'business-2', subject: 'three', at: new Date('2019-05-05T12:00:00Z') })
    await addLine({ businessId: 'business-2', subject: 'four', at: new Date('2019-05-06T12:00:00Z') })
    expect(await rows('who=root')).to.deep.equal(['one'])
    expect(await rows('act=staff.disabled')).to.deep.equal(['two'])
    expect(await rows('subject=thre')).to.deep.equal([])
    expect(await rows('business=business-2')).to.deep.equal(['four', 'three'])
    expect(await rows('business=business-2&to=2019-05-05')).to.deep.equal(['three'])
    expect(await rows('business=business-2&from=2019-05-05T12:00:01&to=')).to.deep.equal(['four'])
    expect(await rows(`who=root&subject=${one.subject}&from=2020-01-01`)).to.deep.equal(['one'])
    expect(await rows('who[$ne]=x&business=business-2')).to.deep.equal(['four', 'three'])
    expect(await rows('who=%24where')).to.deep.equal([])
    const { text } = await viewer.get('/admin/audit?who=root&from=2020-01-01')
    expect(text).to.include('name="who" value="root"').and.include('name="from" value="2020-01-01"')
  })

  it('shows each line exactly once across all pages, newest first, even if several lines have the same time', async () => {
    const at = new Date('2018-01-01T00:00:00Z')
    const added = await Promise.all(
      Array.from({ length: 120 }, (_, index) =>
        addLine({ at, subject: `page-${index}`, businessId: 'paged' }),
      ),
    )
    const seen: (string | undefined)[] = []
    let path = '/admin/audit?business=paged'
    for (let pages = 1; ; pages += 1) {
      const { text } = await viewer.get(path)
      seen.push(...subjectsOf(text))
      const next = /rel="next" href="([^"]+)"/.exec(text)?.[1]
      if (next === undefined) {
        expect(pages).to.equal(3)
        break
      }
      path = next.replaceAll('&#61;', '=').replaceAll('&#38;', '&')
    }
    const newestFirst = added.toSorted((a, b) => (a._id < b._id ? 1 : -1)).map(({ subject }) => subject)
    expect(seen).to.deep.equal(newestFirst)
  })

  it('shows all its content as plain text', async () => {
    const evil = '"><img src=x onerror=alert(1)>\u202E'
    await addLine({
      actor: { kind: 'merchant', name: evil, from: evil },
      subject: evil,
      businessId: evil,
      before: { [evil]: evil },
      after: { [evil]: { [evil]: [evil] } },
    })
    const { text } = await viewer.get(`/admin/audit?who=${encodeURIComponent(evil)}`)
    expect(text).to.include('onerror&#61;alert').and.not.include('<img')
  })
})

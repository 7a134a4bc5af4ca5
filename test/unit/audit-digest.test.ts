import { createSecretKey } from 'node:crypto'
import type { AuditEvent } from '../../src/audit/audit-event.ts'
import { digestAuditLine, digestRecord } from '../../src/verification/seal.ts'

const key = createSecretKey(Buffer.alloc(32, 7))

const line: AuditEvent = {
  _id: '65a1b2c3d4e5f60718293a4b',
  at: new Date('2026-11-26T02:30:00.123Z'),
  actor: { kind: 'staff', name: 'awa', from: null },
  reason: 'é "\n',
  act: 'business.limited',
  subject: 'b',
  businessId: 'b',
  before: { 'limits.perSecond': null, list: [1.5, true, { z: 1, a: 2 }] },
  after: { 'limits.perSecond': 9_007_199_254_740_991, at: new Date(0) },
}

describe('An audit trail digest', () => {
  // If these values changed, stored digests would no longer match.
  it('is the same in every version of the service', () => {
    expect(digestAuditLine(key, line)).to.equal('OWEmk5pHlXUHCjem7-y-Rg')
    const seal = { _id: 2, at: line.at, ids: [line._id], digests: ['x'], previous: 'p' }
    expect(digestRecord(key, 'seal', seal)).to.equal('AZKHL_kPqwn9TYKANwjVnGFNFTwISMEI3xoKbSCk8lI')
  })

  it("does not depend on the seal's number, field order or undefined fields", () => {
    const { before, ...rest } = line
    const same = { seal: 4, before: { list: before?.list, 'limits.perSecond': undefined }, ...rest }
    expect(digestAuditLine(key, same)).to.equal(digestAuditLine(key, line))
  })

  it('differs for values of different types and for different keys', () => {
    const values = ['1', 1, true, 'true', null, 'null', [], {}, [1], ['date', 0], new Date(0), { date: 0 }]
    const digests = values.map((value) => digestAuditLine(key, { ...line, after: { value } }))
    expect(new Set(digests)).to.have.property('size', values.length)
    const otherKey = createSecretKey(Buffer.alloc(32, 8))
    expect(digestAuditLine(otherKey, line)).to.not.equal(digestAuditLine(key, line))
  })
})

import { expect } from 'chai'
import { createViolations } from './violations.ts'

describe('The violations of the attack', () => {
  it('are told up to a number, and then counted', () => {
    const violations = createViolations()
    for (let each = 1; each <= 7; each += 1) violations.add('no fault', `number ${each}`, null)
    const lines = violations.lines()
    expect(lines[0]).to.include('7 violations')
    expect(lines.at(-1)).to.equal('  and 2 that are not told')
    expect(lines).to.have.length(7)
  })

  it("are told with the bytes that were sent, and with another's key in the place of theirs", () => {
    const violations = createViolations()
    violations.add(
      'no fault',
      'x',
      Buffer.from('GET / HTTP/1.1\r\nAuthorization: Bearer sk_test_0aZ\r\n\r\n'),
    )
    expect(violations.lines().at(-1)).to.equal(
      `    printf 'GET / HTTP/1.1\\x0d\\x0aAuthorization: Bearer '"$KEY"'\\x0d\\x0a\\x0d\\x0a' | nc -q 2 127.0.0.1 $PORT`,
    )
  })
})

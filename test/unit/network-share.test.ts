import { execFileSync } from 'node:child_process'
import { createNetworkShares, limitToOpenFiles } from '../../src/http/server/network-share.ts'

describe('The connection limit per network', () => {
  const sizes: [name: string, most: number, from: (index: number) => string, beside: string][] = [
    ['an IPv4 address', 10, () => '192.0.2.1', '192.0.2.2'],
    ['an IPv4 /24', 20, (index) => `192.0.2.${index}`, '192.0.3.1'],
    ['an IPv4 /16', 40, (index) => `192.0.${index}.1`, '192.1.0.1'],
    ['an IPv6 /64', 10, (index) => `2001:db8::${index}`, '2001:db8:0:1::1'],
    ['an IPv6 /48', 20, (index) => `2001:db8:0:${index}::1`, '2001:db8:1::1'],
    ['an IPv6 /40', 40, (index) => `2001:db8:${index}::1`, '2001:db8:100::1'],
    ['an IPv6 /32', 80, (index) => `2001:db8:${index}00::1`, '2001:db9::1'],
  ]
  for (const [name, most, from, beside] of sizes)
    it(`allows ${most} of 100 connections from ${name} without limiting the adjacent network`, () => {
      const shares = createNetworkShares(100)
      const taken = Array.from({ length: 95 }, (_, index) => shares.take(from(index)))
      expect(taken.filter(({ outcome }) => outcome === 'taken')).to.have.length(most)
      expect(shares.take(from(most - 1)).outcome).to.equal('closed')
      expect(shares.take(beside).outcome).to.equal('taken')
      for (const share of taken) if (share.outcome === 'taken') share.free()
      expect(shares.take(from(0)).outcome).to.equal('taken')
    })
})

describe('The maximum number of connections per process', () => {
  for (const [descriptors, most] of [
    [1_000_000, 10_000],
    [11_000, 10_000],
    [4_096, 3_096],
    [1_024, 512],
    [Number.POSITIVE_INFINITY, 10_000],
  ] as const)
    it(`is ${most} if the process may open ${descriptors} files`, () =>
      expect(limitToOpenFiles(descriptors)).to.equal(most))

  it('is divided among the processes of a container', () =>
    expect(limitToOpenFiles(1_000_000, 4)).to.equal(2_500))

  it("follows from the process's `ulimit` and leaves file descriptors for other uses", () => {
    const program = `
      import { limitToOpenFiles } from './src/http/server/network-share.ts'
      console.log(limitToOpenFiles())`
    const run = `ulimit -n 1024 && exec "${process.execPath}" --input-type=module --eval "$1"`
    expect(execFileSync('sh', ['-c', run, 'sh', program], { encoding: 'utf8' })).to.equal('512\n')
  })
})

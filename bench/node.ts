import { execFileSync } from 'node:child_process'

/** The version that production runs. On older ones, Express is 2 to 4 times slower. */
const MAJOR = 24

/**
 * Finds the Node.js for the measured processes: the current one if it is new enough, else one from npm. The install
 * script of that package downloads the binary.
 */
export function findNode(): { path: string; version: string; from: string } {
  if (Number(process.versions.node.split('.')[0]) >= MAJOR)
    return { path: process.execPath, version: process.versions.node, from: 'the current one' }
  const script = 'JSON.stringify([process.execPath, process.versions.node])'
  const printed = execFileSync('npx', ['-y', '--ignore-scripts=false', `node@${MAJOR}`, '-p', script], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 120_000,
  })
  const [path, version] = JSON.parse(printed) as [string, string]
  if (Number(version.split('.')[0]) < MAJOR)
    throw new Error(
      `Node.js ${MAJOR} is required, but npm installed ${version}. Run the benchmark with Node.js ${MAJOR}.`,
    )
  return { path, version, from: `from npm, as this is ${process.versions.node}` }
}

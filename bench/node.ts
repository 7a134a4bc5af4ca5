import { execFileSync } from 'node:child_process'

/** What the service is deployed on; Express on an older one is 2 to 4 times slower. */
const MAJOR = 24

/**
 * The Node.js that runs all that is measured: this one if it is new enough, else one from npm, whose package fetches the binary
 * in its install script.
 */
export function findNode(): { path: string; version: string; from: string } {
  if (Number(process.versions.node.split('.')[0]) >= MAJOR)
    return { path: process.execPath, version: process.versions.node, from: 'the one that runs this' }
  const script = 'JSON.stringify([process.execPath, process.versions.node])'
  const printed = execFileSync('npx', ['-y', '--ignore-scripts=false', `node@${MAJOR}`, '-p', script], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 120_000,
  })
  const [path, version] = JSON.parse(printed) as [string, string]
  if (Number(version.split('.')[0]) < MAJOR)
    throw new Error(`Node.js ${MAJOR} is needed, and npm gave ${version}. Run this with Node.js ${MAJOR}.`)
  return { path, version, from: `from npm, as this is ${process.versions.node}` }
}

/** Other imports must be dynamic, because an old Node.js may fail on them. */
export function requireNode24(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 24 || (major === 24 && minor >= 12)) return
  process.stderr.write(`Node.js ${process.versions.node} is too old. Install Node.js 24 (24.12 or later).\n`)
  process.exit(1)
}

import { words } from './words.ts'

/** Hosts that are private addresses or lead to one. */
export const literalHosts: readonly string[] = words(`
  127.0.0.1 127.1 2130706433 0x7f000001 0177.0.0.1 0 0.0.0.0 127.0.0.1. 10.0.0.1 172.16.0.1 192.168.0.1
  100.64.0.1 169.254.169.254 168.63.129.16 198.18.0.1 224.0.0.1 255.255.255.255 [::1] [::]
  [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::7f00:1] [2002:7f00:1::] [2001:0:7f00:1::]
  [fe80::1] [fc00::1] [fd00:ec2::254] [ff02::1] [2001:db8::1] [2606:4700::5efe:7f00:1] localhost localhost.
  metadata.google.internal user:pass@127.0.0.1
`)

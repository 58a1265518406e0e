/** Addresses of this machine's own server, in every spelling that readers of URLs have been led astray with. */
export function localSpellings(port: number): readonly string[] {
  return [...hostSpellings.map((host) => `http://${host}:${port}/`), ...wholeUrls(port)]
}

/** Places that no page may be fetched from; nothing listens there in a test. */
export const forbiddenPlaces: readonly string[] = [
  ['10.0.0.1', '10.255.255.254', '172.16.0.1', '172.31.255.254', '192.168.0.1', '192.168.255.254', '100.64.0.1'],
  ['100.127.255.254', '169.254.0.1', '169.254.169.254', '169.254.170.2', '100.100.100.200', '192.0.0.192'],
  ['168.63.129.16', '0.0.0.0', '0.1.2.3', '192.0.2.1', '198.18.0.1', '198.51.100.7', '203.0.113.9', '192.88.99.1'],
  ['224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376'],
  ['[fe80::1]', '[fc00::1]', '[fd12:3456::1]', '[fec0::1]', '[ff02::1]', '[100::1]', '[2001:db8::1]', '[3fff::1]'],
  ['[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::a00:1]', '[2002:a00:1::1]', '[2002:a9fe:a9fe::]', '[::ffff:169.254.169.254]'],
  ['[2001:0:4136:e378:8000:63bf:3fff:fdd2]', '[fd00:ec2::254]', '[4000::1]', '[5f00::1]', '[2001:20::1]'],
  ['[2606:4700::5efe:10.0.0.1]', 'metadata.google.internal', 'metadata.goog', 'metadata', 'instance-data'],
  ['METADATA.GOOGLE.INTERNAL', 'metadata.google.internal.', 'router.lan', 'printer.local', 'db.internal'],
]
  .flat()
  .map((host) => `http://${host}/`)

const hostSpellings: readonly string[] = [
  // Loopback, in the usual way and all over its range.
  ['127.0.0.1', '127.0.0.2', '127.1.2.3', '127.255.255.254', 'localhost', 'LOCALHOST', 'LocalHost', 'localhost.'],
  ['a.localhost', 'a.b.localhost', 'localhost.localdomain', 'ip6-localhost', 'ip6-loopback', '127.0.0.1.'],
  // Short forms, one number, octal, hexadecimal, mixed; with zeros before.
  ['127.1', '127.0.1', '127.1.', '2130706433', '2130706434', '0x7f000001', '0x7F000001', '017700000001'],
  ['0x7f.0.0.1', '0x7f.1', '0x7f.0x0.0x0.0x1', '0177.0.0.1', '0177.1', '0177.0x0.0.1', '00177.0.0.01', '127.0x1'],
  ['0000177.0000.0000.0001', '0x0000007f.0.0.1', '127.000.000.001', '0x7f.0.1', '127.0.0.0x1', '127.0.0.01'],
  // Everything means this machine, too.
  ['0.0.0.0', '0', '0x0', '00', '0.0', '0.0.0', '[::]', '[0:0:0:0:0:0:0:0]', '[::0]'],
  // IPv6, and IPv4 within it.
  ['[::1]', '[0:0:0:0:0:0:0:1]', '[0000:0000:0000:0000:0000:0000:0000:0001]', '[::0001]', '[0::1]', '[::0:1]'],
  ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::FFFF:127.0.0.1]', '[0:0:0:0:0:ffff:127.0.0.1]', '[::ffff:7f00:0001]'],
  ['[::127.0.0.1]', '[::7f00:1]', '[::ffff:0:127.0.0.1]', '[::ffff:0:7f00:1]', '[64:ff9b::127.0.0.1]'],
  ['[64:ff9b::7f00:1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2002:7f00:0001::1]', '[::ffff:0.0.0.0]'],
  ['[2001:0:0:0:0:0:80ff:fffe]', '[2001::80ff:fffe]', '[fe80::5efe:127.0.0.1]', '[2001:db8::5efe:7f00:1]'],
  ['[::1%25lo]', '[::1%lo]', '[fe80::1%25eth0]', '[::1%251]', '[::ffff:127.0.0.1%25lo]'],
  // Letters and digits of other kinds, which are read as the usual ones.
  ['①②⑦.⓪.⓪.①', '１２７.０.０.１', '127。0。0。1', '127．0．0．1', '127｡0｡0｡1', '𝟏𝟐𝟕.𝟎.𝟎.𝟏', '𝟙𝟚𝟟.𝟘.𝟘.𝟙', '₁₂₇.₀.₀.₁'],
  [
    'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
    'ｌｏｃａｌｈｏｓｔ',
    '𝓁ℴ𝒸𝒶𝓁𝒽ℴ𝓈𝓉',
    'lo\u00ADcalhost',
    'local\u200Bhost',
    'ℓocalhost',
    'localhoſt',
    'ⓁOCALHOST。',
  ],
  ['%6c%6f%63%61%6c%68%6f%73%74', '%31%32%37.0.0.1', '127%2e0%2e0%2e1', '127.0.0.1%00', 'localhost%E3%80%82', '%30'],
  // Names that lead here.
  ['local.test', 'LOCAL.test.', 'six.test', 'zero.test', 'mapped.test', 'nat64.test', 'mixed.test', 'deep.a.b.test'],
  ['127.0.0.1.nip.test', '7f000001.nip.test', 'private.test', 'sixtofour.test', 'teredo.test', 'xn--e1aybc.test'],
].flat()

function wholeUrls(port: number): readonly string[] {
  const here = `127.0.0.1:${port}`
  return [
    // Names and passwords that look like hosts, and hosts that look like paths.
    [`http://example.com@${here}/`, `http://example.com:80@${here}/`, `http://example.com%40${here}/`],
    [`http://user:pass@${here}/`, `http://@${here}/`, `http://:@${here}/`, `http://example.com#@${here}/`],
    [`http://${here}#@example.com/`, `http://${here}?@example.com/`, `http://${here}\\@example.com/`],
    [`http://example.com\\@${here}/`, `http://${here}\\.example.com/`, `http:\\\\${here}/`, `http:/${here}/`],
    [`http:${here}/`, `http:///${here}/`, `http:////${here}/`, `//${here}/`, `/\\${here}/`, `\\\\${here}\\x`],
    // White space and control characters in and around it.
    [` http://${here}/ `, `\thttp://${here}/`, `ht\ntp://${here}/`, `http://127.0.\t0.1:${port}/`],
    [`http://127.0.0.1\r\n:${port}/`, `http://local\nhost:${port}/`, `http://${here}\u0000.example.com/`],
    [
      `\uFEFFhttp://${here}/`,
      `http:// ${here}/`,
      `http://127.0.0.1\u00A0:${port}/`,
      `HTTP://${here}/`,
      `hTtP://${here}`,
    ],
    // Other schemes.
    [`ftp://${here}/`, `gopher://${here}/_GET%20/`, `file:///etc/hostname`, `file://localhost/etc/hostname`],
    [`ws://${here}/`, `wss://${here}/`, `dict://${here}/x`, `data:text/html,x`, `javascript:fetch('http://${here}')`],
    [`blob:http://${here}/x`, `view-source:http://${here}/`, `jar:http://${here}!/`, `url:http://${here}/`],
    [`https://${here}/`, `https://localhost:${port}/`, `http://127.0.0.1:0${port}/`, `http://127.0.0.1:${port}./`],
  ].flat()
}

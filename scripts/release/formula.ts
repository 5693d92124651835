/** One file that is downloaded, by its address and SHA-256 in hexadecimal. */
export interface Download {
  readonly url: string;
  readonly sha256: string;
}

/**
 * toFormula writes a Homebrew formula: on Linux the standalone program, elsewhere the npm package below a Node.js of Homebrew. Only
 * processors that the release has a program for are named.
 */
export function toFormula(from: {
  readonly version: string;
  readonly npm: Download;
  readonly linux: Readonly<Record<'amd64' | 'arm64', Download | null>>;
}): string {
  const { amd64, arm64 } = from.linux;
  const linux = [processor('intel', amd64), processor('arm', arm64)].filter((text) => text !== '').join('\n');
  return `class Ipo < Formula
  desc "Control which container images may run in a cluster, and preview policy changes"
  homepage "https://ipo.dev"
  version "${from.version}"
  license "Apache-2.0"

  on_macos do
    url "${from.npm.url}"
    sha256 "${from.npm.sha256}"

    depends_on "node"
  end

  on_linux do
${linux}
  end

  def install
    if OS.mac?
      system "npm", "install", *std_npm_args
      bin.install_symlink libexec/"bin/ipo"
      man1.install_symlink libexec.glob("lib/node_modules/image-policy-operator/man/*.1")
    else
      bin.install "ipo"
      man1.install Dir["man/*.1"]
    end
    generate_completions_from_executable(bin/"ipo", "completion", shells: [:bash, :zsh, :fish])
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/ipo --version")
    (testpath/"policy.yaml").write shell_output("#{bin}/ipo policy init")
    system bin/"ipo", "policy", "lint", "policy.yaml"
  end
end
`;
}

function processor(name: string, download: Download | null): string {
  if (download === null) return '';
  return `    on_${name} do
      url "${download.url}"
      sha256 "${download.sha256}"
    end`;
}

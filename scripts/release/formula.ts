/** toFormula writes a Homebrew formula for the npm package: Homebrew installs it below a Node.js of its own. */
export function toFormula(from: { version: string; url: string; sha256: string }): string {
  return `class Ipo < Formula
  desc "Control which container images may run in a cluster, and preview policy changes"
  homepage "https://ipo.dev"
  url "${from.url}"
  version "${from.version}"
  sha256 "${from.sha256}"
  license "Apache-2.0"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink Dir["#{libexec}/bin/*"]
    generate_completions_from_executable(bin/"ipo", "completion")
    man1.install_symlink Dir["#{libexec}/lib/node_modules/image-policy-operator/man/*.1"]
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/ipo --version")
    (testpath/"policy.yaml").write shell_output("#{bin}/ipo policy init")
    system bin/"ipo", "policy", "lint", "policy.yaml"
  end
end
`;
}

//! Places in sysfs as the kernel lays them out, with sample values.

use std::os::unix::fs::symlink;

use super::*;

struct Devices(tempfile::TempDir);

impl Devices {
    fn new(files: &[(&str, &str)]) -> Self {
        let devices = Self(tempfile::tempdir().expect("a folder"));
        for (path, text) in files {
            let path = devices.0.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("the folder");
            fs::write(path, text).expect("the file");
        }
        devices
    }

    fn driver(&self, folder: &str, name: &str) {
        symlink(format!("/sys/bus/drivers/{name}"), self.0.path().join(folder).join("driver")).expect("the link");
    }

    fn route(&self, name: &str, place: &str) -> Route {
        let place = self.0.path().join(place);
        fs::create_dir_all(&place).expect("the folder");
        Route::read(name, &place)
    }
}

const HBA: [(&str, &str); 3] =
    [("pci/0000:01:00.0/vendor", "0x1000\n"), ("pci/0000:01:00.0/device", "0x00AF\n"), ("pci/0000:01:00.0/class", "")];

#[test]
fn a_disk_behind_a_bridge_names_it_its_driver_and_its_speed() {
    let usb = "pci/0000:01:00.0/usb2/2-1";
    let files = [
        (format!("{usb}/idVendor"), "152D\n"),
        (format!("{usb}/idProduct"), "0578\n"),
        (format!("{usb}/manufacturer"), "Sample Bridges\n"),
        (format!("{usb}/product"), "SATA bridge\n"),
        (format!("{usb}/speed"), "5000\n"),
        (format!("{usb}/2-1:1.0/bInterfaceClass"), "08\n"),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).chain(HBA).collect();
    let devices = Devices::new(&files);
    devices.driver(&format!("{usb}/2-1:1.0"), "uas");
    let route = devices.route("sdb", &format!("{usb}/2-1:1.0/host6/target6:0:0/6:0:0:0/block/sdb"));
    assert_eq!((route.interface.as_str(), route.link_bits_per_s), ("usb", Some(5_000_000_000)));
    let bridge = route.bridge.expect("a bridge");
    assert_eq!((bridge.usb_vendor_id.as_deref(), bridge.usb_product_id.as_deref()), (Some("152d"), Some("0578")));
    assert_eq!((bridge.vendor.as_deref(), bridge.driver.as_deref()), (Some("Sample Bridges"), Some("uas")));
}

#[test]
fn a_sas_disk_tells_what_all_lanes_of_its_port_run_at() {
    let port = "pci/0000:01:00.0/host0/port-0:1";
    let files = [
        (format!("{port}/phy-0:1/sas_phy/phy-0:1/negotiated_linkrate"), "6.0 Gbit\n"),
        (format!("{port}/phy-0:1/sas_phy/phy-0:1/maximum_linkrate"), "12.0 Gbit\n"),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).chain(HBA).collect();
    let devices = Devices::new(&files);
    devices.driver("pci/0000:01:00.0", "mpt3sas");
    let route = devices.route("sdc", &format!("{port}/end_device-0:1/target0:0:1/0:0:1:0/block/sdc"));
    assert_eq!(route.link_bits_per_s, Some(6_000_000_000));
    assert_eq!(route.link_supported_bits_per_s, Some(12_000_000_000));
    assert_eq!(route.controller().as_deref(), Some("mpt3sas (0x1000:0x00af)"));
    assert_eq!((route.interface.as_str(), route.bridge), ("scsi", None));
}

#[test]
fn an_nvme_disk_tells_the_rate_of_all_its_lanes() {
    let files = [
        ("pci/0000:01:00.0/current_link_speed", "8.0 GT/s PCIe\n"),
        ("pci/0000:01:00.0/current_link_width", "2\n"),
        ("pci/0000:01:00.0/max_link_speed", "16.0 GT/s PCIe\n"),
        ("pci/0000:01:00.0/max_link_width", "4\n"),
    ];
    let devices = Devices::new(&[&HBA[..], &files[..]].concat());
    let route = devices.route("nvme0n1", "pci/0000:01:00.0/nvme/nvme0/nvme0n1");
    assert_eq!(route.link_bits_per_s, Some(16_000_000_000));
    assert_eq!(route.link_supported_bits_per_s, Some(64_000_000_000));
    assert_eq!(route.hba.expect("an adapter").link_speed_bits_per_s, Some(16_000_000_000));
}

#[test]
fn each_bus_is_told_by_the_place() {
    let places = [
        ("sda", "pci/0000:00:1f.2/ata3/host2/target2:0:0/2:0:0:0", "ata"),
        ("sdb", "pci/0000:00:14.0/usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0", "usb"),
        ("sdc", "pci/0000:01:00.0/host0/port-0:1/end_device-0:1/target0:0:1/0:0:1:0", "scsi"),
        ("sdd", "pci/0000:00:05.0/virtio2/host4/target4:0:0/4:0:0:0", "scsi"),
        ("nvme0n1", "pci/0000:02:00.0/nvme/nvme0", "nvme"),
        ("vdb", "pci/0000:00:05.0/virtio2", "virtio"),
        ("loop3", "virtual", "loop"),
        ("pmem0", "platform/pmem", "unknown"),
    ];
    for (name, place, interface) in places {
        assert_eq!(Devices::new(&[]).route(name, place).interface, interface, "{place}");
    }
}

#[test]
fn speeds_are_read_in_each_of_the_kernels_forms() {
    let speeds = ["6.0 Gbps", "12.0 Gbit", "2.5 GT/s PCIe", "22.5 Gbit"].map(giga);
    assert_eq!(speeds, [6_000, 12_000, 2_500, 22_500].map(|mega| Some(mega * 1_000_000)));
    for text in ["<unknown>", "Unknown", "6.0", "x.y Gbps", "1. Gbps"] {
        assert_eq!(giga(text), None, "{text}");
    }
}
